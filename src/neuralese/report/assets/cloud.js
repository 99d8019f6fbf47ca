// the cloud of messages: look at one after another

function cloud(part) {
  const { ids, states } = part.cloud;
  const { values } = part.charts.cloud.data;
  const state = make("div", { class: "cloud-state", "aria-live": "polite" });
  let here = 0;
  let view = null;
  function look(i) {
    here = (i + ids.length) % ids.length;
    view?.signal("here", here).run();
    state.replaceChildren(
      make("p", { class: "said" }, `“${values[here].phrase}”`),
      pair(part, states[here]),
      make("p", { class: "hint" }, `message ${ids[here]}, said about ${named(part, states[here][0])} (left), not ${others(part, states[here])}`),
    );
  }

  const figure = chart(part.charts.cloud, (made) => {
    view = made;
    made.addEventListener("pointermove", (event, item) => item?.datum?.i != null && item.datum.i !== here && look(item.datum.i));
    look(here);
  });
  fill(figure.querySelector(".chart"), {
    tabindex: 0,
    role: "group",
    "aria-label": "Message cloud: left and right arrow go from message to message",
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      look(here + step);
    },
  }, []);
  return make("div", {}, repeated(part), make("div", { class: "cloud" }, figure, state));
}

// messages of symbols have no directions: the most frequent ones, with their English and a state one was said in
function symbols(part) {
  const head = make("tr", {}, ...["message", "count on test", "in English", "example state"].map((text, column) => make("th", { scope: "col", class: column === 1 ? "n" : "" }, text)));
  const rows = part.symbols.map(({ text, count, phrase, state }) =>
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, text)), make("td", { class: "n" }, String(count)), make("td", {}, `“${part.phrases[phrase]}”`), make("td", {}, named(part, state[0]))),
  );
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Messages" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}
