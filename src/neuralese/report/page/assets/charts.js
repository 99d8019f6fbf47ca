// Vega-Lite charts in the page's own colours; redrawn when the theme changes

const charts = new Map(); // box -> what draws it

function chartConfig() {
  const [ink, muted, line] = ["ink", "muted", "line"].map(color);
  const font = getComputedStyle(document.body).fontFamily;
  return {
    background: "transparent",
    font,
    view: { stroke: null },
    axis: { labelColor: ink, titleColor: muted, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 11.5, titleFontWeight: 400, titleFontSize: 12, labelLimit: innerWidth > 700 ? 320 : 190 },
    axisQuantitative: { tickCount: 6, labelFlush: false, labelOverlap: "greedy" },
    legend: { labelColor: ink, titleColor: muted, labelFontSize: 12, titleFontWeight: 400, labelLimit: 140 },
    title: { color: ink, fontSize: 13, fontWeight: 600, anchor: "start" },
  };
}

async function show(box, spec, ready) {
  if (typeof vegaEmbed === "undefined") {
    box.textContent = "No chart: its library could not be packed when this page was made.";
    return;
  }
  const drawn = charts.get(box);
  if (drawn?.view) drawn.view.finalize();
  const made = { spec, ready };
  charts.set(box, made);
  const options = { renderer: "svg", actions: false, ast: true, config: chartConfig(), tooltip: { theme: "custom" } };
  const { view } = await vegaEmbed(box, { width: "container", autosize: { type: "fit-x", contains: "padding" }, padding: { left: 5, right: 14, top: 5, bottom: 5 }, ...spec() }, options);
  if (charts.get(box) !== made) return view.finalize();
  made.view = view;
  ready?.(view);
}

function chart(label, spec, ready) {
  const box = make("div", { class: "chart" });
  const figure = make("figure", {}, box, make("figcaption", {}, ...[label].flat()));
  queueMicrotask(() => show(box, spec, ready));
  return figure;
}

onTheme.push(() => {
  for (const [box, { spec, ready }] of [...charts]) {
    if (box.isConnected) show(box, spec, ready);
    else charts.delete(box);
  }
});

// a mark in a caption, in its colour in the chart
const mark = (sign, shade) => make("span", { style: `color: var(--${shade})`, "aria-hidden": "true" }, sign);

// a long label on as many lines as it needs, so that none is cut and no two look the same
function inLines(label) {
  const most = innerWidth > 700 ? 44 : 24;
  const lines = [""];
  for (const word of label.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.join("\n");
}

const palette = () =>
  isDark()
    ? ["#8ab4ff", "#ffb057", "#ff8f86", "#7fd6c2", "#8ddb7a", "#f0d25e", "#d3a5e8", "#ffb3c6", "#c9a98c"]
    : ["#2b63c4", "#d97706", "#c43b3b", "#1f8a7d", "#3f8f34", "#a88a00", "#8a4fa8", "#d0568a", "#7d5a3f"];

const learning = (curves, field, title) => () => ({
  height: 200,
  data: { values: curves.flatMap((curve) => curve.update.map((update, i) => ({ update, value: curve[field][i], seed: String(curve.seed) }))) },
  mark: { type: "line", strokeWidth: 1.8, tooltip: true, point: { size: 12 } },
  encoding: {
    x: { field: "update", type: "quantitative", title: "updates" },
    y: { field: "value", type: "quantitative", title, scale: { zero: false } },
    color: { field: "seed", type: "nominal", scale: { range: palette() }, legend: curves.length > 1 ? {} : null },
    tooltip: [{ field: "seed" }, { field: "update" }, { field: "value", title, format: ".3f" }],
  },
});

const dots = (rows, title, chance, marks) => () => ({
  height: rows.length * Math.max(21, 6 + 14 * Math.max(...rows.map((row) => inLines(row.label).split("\n").length))),
  data: { values: rows.map((row) => ({ ...row, label: inLines(row.label) })) },
  encoding: { y: { field: "label", type: "nominal", sort: null, title: null, axis: { grid: false, domain: false, ticks: false, labelExpr: "split(datum.label, '\\n')" } } },
  layer: [
    ...(chance ? [{ data: { values: [{}] }, mark: { type: "rule", color: color("line"), strokeWidth: 2 }, encoding: { y: null, x: { datum: chance } } }] : []),
    {
      mark: { type: "rule", strokeWidth: 2, color: color("accent") },
      encoding: { x: { field: "low", type: "quantitative", title, scale: { zero: false, padding: 14 } }, x2: { field: "high" } },
    },
    ...marks.map(({ field, name, shade, ...mark }) => ({
      transform: [{ filter: `isValid(datum.${field})` }],
      mark: { type: "point", size: 60, opacity: 1, strokeWidth: 1.8, color: color(shade), fill: mark.hollow ? color("card") : color(shade), ...mark },
      encoding: {
        x: { field, type: "quantitative" },
        tooltip: [{ field: "label", title: "criterion" }, { field, title: name, format: ".3f" }, { field: "low", format: ".3f" }, { field: "high", format: ".3f" }],
      },
    })),
  ],
});

function comparisonCharts(rows) {
  return [...new Set(rows.map((row) => row.measure))].map((measure) => {
    const values = rows
      .filter((row) => row.measure === measure)
      .map((row) => ({ label: row.criterion === "none" ? row.pair : `${row.pair}, ${row.title}`, ours: row.value, low: row.ci_low, high: row.ci_high, paper: row.paper }));
    const beside = values.some((row) => row.paper != null);
    const marks = [{ field: "ours", name: "ours", shade: "accent", shape: "circle" }];
    if (beside) marks.unshift({ field: "paper", name: "paper", shade: "second", shape: "diamond", hollow: true, size: 75 });
    const label = [mark("●", "accent"), " ours with its 95 % interval", ...(beside ? ["; ", mark("◇", "second"), " the paper's figure"] : [])];
    return chart(label, dots(values, measure, rows.find((row) => row.measure === measure).chance, marks));
  });
}

function ablationChart({ rows }) {
  const values = rows.map((row) => ({ ...row, label: (row.chosen ? "★ " : "") + row.label }));
  const marks = [
    { field: "dev", name: "dev", shade: "muted", shape: "circle", hollow: true, size: 40 },
    { field: "test", name: "test", shade: "accent", shape: "circle" },
  ];
  return chart(["★ chosen on dev; ", mark("○", "muted"), " dev; ", mark("●", "accent"), " test with its 95 % interval"], dots(values, "accuracy", false, marks));
}

function relayChart({ rows, measure }) {
  const values = rows.filter((row) => row.understood != null).map((row) => ({ ...row, short: row.criterion }));
  const ends = rows.filter((row) => row.role === "native" || row.role === "silence").map((row) => ({ value: row.value, short: row.criterion }));
  const spec = () => ({
    height: 280,
    layer: [
      { data: { values: ends }, mark: { type: "rule", strokeWidth: 2, color: color("line") }, encoding: { x: { field: "value", type: "quantitative" } } },
      { data: { values: ends }, mark: { type: "text", align: "left", dx: 3, y: 8, color: color("muted"), fontSize: 11 }, encoding: { x: { field: "value", type: "quantitative" }, text: { field: "short" } } },
      {
        data: { values },
        mark: { type: "point", size: 70, filled: true, opacity: 1 },
        encoding: {
          x: { field: "value", type: "quantitative", title: `${measure} through English`, scale: { zero: false, padding: 30 } },
          y: { field: "understood", type: "quantitative", title: "understood by the model human", scale: { zero: false, padding: 12 } },
          color: { condition: { test: "datum.role === 'ours'", value: color("accent") }, value: color("muted") },
          tooltip: [{ field: "title", title: "heard" }, { field: "value", title: measure, format: ".3f" }, { field: "understood", format: ".3f" }],
        },
      },
      { data: { values }, mark: { type: "text", align: "left", dx: 8, color: color("ink"), fontSize: 11 }, encoding: { x: { field: "value", type: "quantitative" }, y: { field: "understood", type: "quantitative" }, text: { field: "short" } } },
    ],
  });
  return chart("Further right, the robot at the end understands more; further up, the model human on the way does", spec);
}

function theoryCharts({ dots: points, recovered }) {
  const limit = Math.min(2, Math.max(...points.map((point) => point.bound)));
  const first = () => ({
    height: 260,
    layer: [
      { data: { values: points }, mark: { type: "circle", size: 9, opacity: 0.45, color: color("accent"), clip: true }, encoding: { x: { field: "bound", type: "quantitative", title: "√(2D)", scale: { domain: [0, limit] } }, y: { field: "lost", type: "quantitative", title: "reward lost", scale: { domain: [-0.1, 1] } } } },
      { data: { values: [{ x: 0 }, { x: limit }] }, mark: { type: "line", color: color("second"), clip: true }, encoding: { x: { field: "x", type: "quantitative" }, y: { field: "x", type: "quantitative" } } },
    ],
  });
  const second = () => ({
    height: 260,
    data: { values: recovered },
    mark: { type: "line", point: true, strokeWidth: 2 },
    encoding: {
      x: { field: "rarity", type: "quantitative", title: "share of humans with the robot's strategy" },
      y: { field: "recovered", type: "quantitative", title: "messages translated into it", scale: { domain: [0, 1] } },
      color: { field: "criterion", type: "nominal", title: null, scale: { range: palette() }, legend: { orient: "bottom" } },
      tooltip: [{ field: "criterion" }, { field: "rarity", format: ".3f" }, { field: "recovered", format: ".3f" }],
    },
  });
  return [chart("Proposition 1: a message of a random game; none may lie above the line", first), chart("Proposition 2: a strategy hidden among others", second)];
}
