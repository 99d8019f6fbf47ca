// examples of what is said and who understands it, or a task's games to watch

function examples(part) {
  const picks = (credit) => (credit > 0 && credit < 1 ? ["cannot decide", ""] : credit ? ["guesses right ✓", "right"] : ["guesses wrong ✗", "wrong"]);
  const cards = part.games.map((game) => {
    const line = (who, credit) => make("p", { class: "heard" }, `${who} `, make("span", { class: picks(credit)[1] }, picks(credit)[0]));
    return make(
      "li",
      { class: "card" },
      pair(part, game.state),
      make("p", { class: "said" }, `“${part.phrases[game.phrase]}”`),
      line("The robot, hearing the message,", game.robot),
      line("The model human, hearing the English,", game.human),
    );
  });
  const about = `The robot talks about the left one; its message is translated into English by ${part.criterion}.`;
  return make("div", {}, make("p", {}, about), repeated(part), make("ul", { class: "examples" }, ...cards));
}

const games = (part) => (view(part).games ?? examples)(part);
