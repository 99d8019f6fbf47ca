// messages along the two directions of largest variance, coloured by their English

const KINDS = 9; // number of phrases with their own colour, if phrases have no natural one
const OTHER = "other phrases";

function cloud(part) {
  const { x, y, ids, phrases, states, share } = part.cloud;
  const counts = new Map();
  phrases.forEach((phrase) => counts.set(phrase, (counts.get(phrase) ?? 0) + 1));
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, KINDS).map(([phrase]) => phrase);
  const group = (phrase) => (frequent.includes(phrase) ? part.phrases[phrase] : OTHER);
  const values = ids.map((id, i) => ({ i, id, x: x[i], y: y[i], phrase: part.phrases[phrases[i]], group: group(phrases[i]) }));
  const groups = frequent.map((phrase) => part.phrases[phrase]);
  if (counts.size > groups.length) groups.push(OTHER);
  const shades = () => [...frequent.map((phrase, i) => part.shades?.[phrase] ?? palette()[i]), color("muted")];
  const axis = (name, i) => `${name} direction (${(100 * share[i]).toFixed(0)} % of the variance, channel noise included)`;
  const encoding = {
    x: { field: "x", type: "quantitative", title: axis("first", 0), axis: { grid: false } },
    y: { field: "y", type: "quantitative", title: axis("second", 1), axis: { grid: false } },
  };
  const spec = () => ({
    height: 380,
    data: { values },
    params: [{ name: "here", value: -1 }],
    layer: [
      {
        mark: { type: "point", filled: false, size: 220, strokeWidth: 2.5, color: color("ink") },
        encoding: { ...encoding, opacity: { condition: { test: "datum.i === here", value: 1 }, value: 0 } },
      },
      {
        params: [{ name: "chosen", select: { type: "point", fields: ["group"] }, bind: "legend" }],
        mark: { type: "point", filled: true, size: 46, strokeWidth: 0.7, stroke: color("muted") },
        encoding: {
          ...encoding,
          color: { field: "group", type: "nominal", title: "in English", sort: groups, scale: { domain: groups, range: shades() }, legend: { orient: "bottom", columns: 3, symbolStrokeWidth: 0, symbolOpacity: 1 } },
          opacity: { condition: { param: "chosen", value: 0.9 }, value: 0.08 },
          tooltip: [{ field: "phrase", title: "in English" }, { field: "id", title: "message" }],
        },
      },
    ],
  });

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

  const figure = chart("Point at a message to see its state, or use the arrow keys; click phrases in the legend to single them out.", spec, (made) => {
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
