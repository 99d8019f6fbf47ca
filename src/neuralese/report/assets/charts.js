// Vega-Lite charts (neuralese.report.charts) in the page's own colours; redrawn when the theme changes

const charts = new Map(); // box -> what draws it
const SIGNS = { "●": "accent", "◇": "second", "○": "muted" }; // marks in captions, in their colours in charts

// what refers to a colour of the style sheet gets that of the theme
const inColors = (spec) => JSON.parse(JSON.stringify(spec), (_, value) => (/^var\(--[a-z0-9-]+\)$/.test(value) ? color(value.slice(6, -1)) : value));

async function show(box, spec, ready) {
  if (typeof vegaEmbed === "undefined") {
    box.textContent = "No chart: its library could not be packed when this page was made.";
    return;
  }
  const drawn = charts.get(box);
  if (drawn?.view) drawn.view.finalize();
  const made = { spec, ready };
  charts.set(box, made);
  const config = { ...inColors(shared.config), font: getComputedStyle(document.body).fontFamily };
  const options = { renderer: "svg", actions: false, ast: true, config, tooltip: { theme: "custom" } };
  const { view } = await vegaEmbed(box, { width: "container", autosize: { type: "fit-x", contains: "padding" }, padding: { left: 5, right: 14, top: 5, bottom: 5 }, ...inColors(spec) }, options);
  if (charts.get(box) !== made) return view.finalize();
  made.view = view;
  ready?.(view);
}

function chart(spec, ready) {
  const box = make("div", { class: "chart" });
  const caption = spec.usermeta.caption.split(/([●◇○])/).map((text) => (SIGNS[text] ? make("span", { style: `color: var(--${SIGNS[text]})`, "aria-hidden": "true" }, text) : text));
  queueMicrotask(() => show(box, spec, ready));
  return make("figure", {}, box, make("figcaption", {}, ...caption));
}

onTheme.push(() => {
  for (const [box, { spec, ready }] of [...charts]) {
    if (box.isConnected) show(box, spec, ready);
    else charts.delete(box);
  }
});
