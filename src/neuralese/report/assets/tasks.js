// one section per task, each with a choice of seed

const MEASURES = {
  messages: ["Messages", "on test"],
  distinct_messages: ["Distinct messages", "on test"],
  message_entropy: ["Message entropy", "bits"],
  effective_vocabulary: ["Effective vocabulary size", "symbols"],
  mean_length: ["Mean length", "symbols"],
  effective_length: ["Effective length", "varying positions"],
  dimensions: ["Dimensions", "of a message"],
  effective_dimension: ["Effective dimension", "before noise; 1 if messages lie on a line"],
  first_component: ["First principal component", "share of the variance before noise"],
  clusters: ["Clusters", "best separated number"],
  silhouette: ["Silhouette", "separation of the clusters, up to 1"],
  topographic_similarity: ["Topographic similarity", "similar states, similar messages"],
  signalling: ["Positive signalling", "bits about the state, I(z; x)"],
  consistency: ["Speaker consistency", "bits about the speaker's action in the same step"],
  causal_influence: ["Positive listening", "bits by which a message changes its listener's action"],
  actions_changed: ["Actions changed", "share, if another game's message is heard instead"],
  posdis: ["Positional disentanglement", "1 if each position is about one attribute"],
  bosdis: ["Bag-of-symbols disentanglement", "1 if each symbol is about one attribute"],
};

function protocol(part) {
  const facts = part.protocol.filter(({ measure, variable, value }) => MEASURES[measure] && !variable && value != null);
  const list = make("dl", { class: "measures" });
  for (const { measure, value } of facts) {
    const [name, meaning] = MEASURES[measure];
    list.append(make("div", {}, make("dt", {}, `${name} (${meaning})`), make("dd", {}, Number.isInteger(value) ? String(value) : value.toFixed(2))));
  }
  const verdicts = make("ul", { class: "claims" }, ...(part.verdicts ?? []).map((text) => make("li", {}, text)));
  const warnings = make("ul", { class: "claims" }, ...(part.warnings ?? []).map((text) => make("li", { class: "note" }, `Warning: ${text}`)));
  return make("div", {}, verdicts, warnings, list, chart(part.charts.bits));
}

for (const section of document.querySelectorAll("section.task")) {
  const { task } = section.dataset;
  const sources = [...document.querySelectorAll(`script.part[data-task="${task}"]`)];
  const showSeed = (source) => {
    const part = read(source);
    find(section, "cloud-title").textContent = part.symbols.length ? "Messages" : "Message cloud";
    for (const [name, view] of Object.entries({ explorer, cloud: part.symbols.length ? symbols : cloud, games, protocol })) find(section, name).replaceChildren(view(part));
  };
  const select = find(section, "seed");
  const { task: shown, seed } = address();
  const first = Math.max(0, shown === task ? sources.findIndex((source) => source.dataset.seed === seed) : 0);
  sources.forEach((source, i) => select.append(make("option", { selected: i === first }, source.dataset.seed)));
  select.addEventListener("change", () => showSeed(sources[select.selectedIndex]));
  showSeed(sources[first]);
}
