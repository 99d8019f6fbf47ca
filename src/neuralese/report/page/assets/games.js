// example games: reference games as cards, driving games in a player that steps through them

const ACTIONS = ["waits", "goes on", "turns left", "turns right"];
const PAIRS = { "R/R": "two robots", "R/H": "a robot and a human" };

function referenceGames(part) {
  const picks = (credit) => (credit === 0.5 ? ["cannot decide", ""] : credit ? ["picks the target ✓", "right"] : ["picks the other ✗", "wrong"]);
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
  const about = `The robot speaks of the left one; its message is put into English by ${part.criterion}.`;
  return make("div", {}, make("p", {}, about), make("ul", { class: "examples" }, ...cards));
}

function drivingPlayer(part) {
  let game = part.games[0];
  let turn = 0;
  let timer = null;
  const map = make("div");
  const now = make("div", { class: "now", "aria-live": "polite" });
  const slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Turn", oninput: () => go(Number(slider.value)) });
  const turns = make("div", { class: "scroll turns", tabindex: 0, role: "region", "aria-label": "All turns" });
  const button = (text, onclick) => make("button", { type: "button", onclick }, text);
  const play = button("Play", () => (timer ? stop() : start()));
  const steps = make(
    "div",
    { class: "steps" },
    button("« First", () => go(0)),
    button("‹ Back", () => go(turn - 1)),
    play,
    button("Next ›", () => go(turn + 1)),
    button("Last »", () => go(game.turns.length - 1)),
  );

  const seat = (number) => `${number ? "blue" : "red"} (${game.who[number]})`;
  const does = ({ pose, action, said }) => (pose === GONE ? "has arrived" : ACTIONS[action] + (said ? `: “${said}”` : ""));

  function start() {
    if (turn === game.turns.length - 1) go(0);
    timer = setInterval(() => (turn < game.turns.length - 1 ? go(turn + 1, true) : stop()), 1000);
    play.textContent = "Pause";
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }

  function go(wanted, playing = false) {
    if (!playing && timer) stop();
    turn = Math.max(0, Math.min(game.turns.length - 1, wanted));
    const { cars, reward, outcome } = game.turns[turn];
    slider.value = turn;
    const label = cars.map((each, number) => `${seat(number)} is ${named(part, [game.map, each.pose, each.goal])}`).join("; ");
    map.replaceChildren(roadMap(part.roads[game.map], cars, label));
    now.replaceChildren(
      make("p", {}, make("strong", {}, `Turn ${turn + 1} of ${game.turns.length}`), ` · reward so far ${reward.toFixed(2)}${outcome ? ` · ${outcome}` : ""}`),
      ...cars.map((each, number) => make("p", { class: `car-${number}` }, `${seat(number)} ${does(each)}`)),
    );
    turns.querySelectorAll("tbody tr").forEach((row, i) => {
      row.classList.toggle("current", i === turn);
      if (i === turn) turns.scrollTop = Math.max(0, row.offsetTop - turns.clientHeight / 2);
    });
  }

  function choose(number) {
    stop();
    game = part.games[number];
    slider.max = game.turns.length - 1;
    const head = make("tr", {}, make("th", { scope: "col" }, "turn"), ...[0, 1].map((each) => make("th", { scope: "col" }, seat(each))));
    const rows = game.turns.map(({ cars }, i) =>
      make("tr", { onclick: () => go(i) }, make("th", { scope: "row" }, String(i + 1)), ...cars.map((each, seated) => make("td", { class: `car-${seated}` }, does(each)))),
    );
    turns.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    go(0);
  }

  const games = part.games.map(({ pair: kind, turns: each }, i) => [String(i), `${i + 1}: ${PAIRS[kind] ?? kind}, ${each.length} turns, ${each.at(-1).outcome || "not finished"}`]);
  const about = `A robot's messages are put into English by ${part.criterion}; a human's are shown as the phrase that is translated for the robot. Stars are goals; ahead is the pointed end.`;
  const root = make("div", {}, make("p", {}, about), make("div", { class: "controls" }, dropDown("Game", games, "0", (value) => choose(Number(value)))), make("div", { class: "player" }, make("div", {}, map, slider, steps), make("div", {}, now, turns)));
  choose(0);
  return root;
}

const games = (part) => (part.roads ? drivingPlayer(part) : referenceGames(part));
