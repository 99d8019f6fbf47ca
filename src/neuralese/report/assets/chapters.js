// what is folded, filled when it is opened; and the map of messages

function cloud(part) {
  const { ids, states } = part.cloud;
  const { values } = part.charts.cloud.data;
  const state = make("div", { class: "cloud-state", "aria-live": "polite" });
  let here = 0;
  let view = null;
  function look(i) {
    here = (i + ids.length) % ids.length;
    view?.signal("here", here).run();
    state.replaceChildren(make("p", { class: "says" }, says(part, values[here].phrase)), seen(part, states[here]), make("p", { class: "small muted" }, `message ${ids[here]}, said of ${named(part, states[here][0])}`));
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

function table(heads, rows) {
  const head = make("tr", {}, heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...cells]) => make("tr", {}, make("th", { scope: "row" }, first), cells.map((cell) => make("td", {}, cell))));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": heads[0] }, make("table", {}, make("thead", {}, head), make("tbody", {}, body)));
}

// messages of symbols have no directions: the most frequent ones, with their English and a state one was said in
const symbols = (part) => table(["message", "count on test", "in English", "example state"], part.symbols.map(({ text, count, phrase, state }) => [make("code", {}, text), String(count), `“${part.phrases[phrase].text}”`, named(part, state[0])]));

const MEASURES = {
  messages: ["Messages", "on test"],
  distinct_messages: ["Distinct messages", "on test"],
  message_entropy: ["Message entropy", "bits"],
  effective_vocabulary: ["Effective vocabulary size", "symbols"],
  mean_length: ["Mean length", "symbols"],
  effective_length: ["Effective length", "varying positions"],
  dimensions: ["Dimensions", "of a message"],
  effective_dimension: ["Effective dimension", "before noise; 1 is a line"],
  first_component: ["First principal component", "share of the variance"],
  clusters: ["Clusters", "best separated number"],
  silhouette: ["Silhouette", "their separation, up to 1"],
  topographic_similarity: ["Topographic similarity", "similar states, similar messages"],
  signalling: ["Positive signalling", "bits about the state, I(z; x)"],
  consistency: ["Speaker consistency", "bits about the speaker's action"],
  causal_influence: ["Positive listening", "bits about its listener's action"],
  actions_changed: ["Actions changed", "share, by another game's message"],
  posdis: ["Positional disentanglement", "1: each is about one attribute"],
  bosdis: ["Bag-of-symbols disentanglement", "1: each is about one attribute"],
};

function protocol(part) {
  const facts = part.protocol.filter(({ measure, variable, value }) => MEASURES[measure] && !variable && value != null);
  const measured = table(["measure", "", "value"], facts.map(({ measure, value }) => [...MEASURES[measure], Number.isInteger(value) ? String(value) : value.toFixed(2)]));
  const told = [...part.verdicts, ...part.warnings.map((text) => `Warning: ${text}`)];
  return make("div", {}, make("ul", { class: "claims" }, told.map((text) => make("li", {}, text))), make("div", { class: "charts" }, measured, chart(part.charts.bits)));
}

const PARTS = { examples, protocol, cloud: (part) => (part.symbols.length ? symbols(part) : cloud(part)), games: (part) => view(part).games(part) };
const fillPart = (box) => box.replaceChildren(PARTS[box.dataset.part](load(box.dataset.task)));
const isShown = (box) => !box.closest("details:not([open])");

for (const details of document.querySelectorAll("details.chapter")) {
  details.addEventListener("toggle", () => {
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = "true";
    details.querySelectorAll("[data-part]").forEach(fillPart);
    details.querySelectorAll("[data-charts]").forEach((box) => box.append(...shared.charts[box.dataset.charts].map((spec) => chart(spec))));
  });
}
onSeed.push(() => {
  for (const box of document.querySelectorAll("[data-part]")) if (box.childElementCount) fillPart(box);
});

// the address opens a chapter, or what it says to explore
function arrive() {
  if (recall()) {
    explore();
    document.getElementById("explore").scrollIntoView();
  }
  const place = document.getElementById(location.hash.slice(1));
  if (place?.matches("details")) place.open = true;
}
addEventListener("hashchange", arrive);

if (tasks.length) {
  explore();
  document.querySelectorAll("[data-part]").forEach((box) => isShown(box) && fillPart(box));
  for (const box of document.querySelectorAll("[data-art]")) box.append(seen(load(box.dataset.art), load(box.dataset.art).messages[0].states));
  arrive();
}
document.documentElement.dataset.ready = "true";
