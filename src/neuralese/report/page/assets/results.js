// what all tasks share: the tables as charts, the criteria, the theory

document.querySelectorAll("[data-table]").forEach((box) => box.append(...comparisonCharts(shared.tables[box.dataset.table])));
document.querySelectorAll("[data-ablation]").forEach((box) => box.append(ablationChart(shared.ablation[box.dataset.ablation])));
document.querySelectorAll("[data-relay]").forEach((box) => box.append(relayChart(shared.relay[box.dataset.relay])));
find(document, "theory").append(...theoryCharts(shared.theory));

// a table that is wider than the screen says so
const hints = [...document.querySelectorAll(".scroll")].map((box) => [box, make("p", { class: "hint wide", hidden: true }, "Scroll the table sideways to see all columns →")]);
for (const [box, hint] of hints) box.before(hint);
const showHints = () => hints.forEach(([box, hint]) => (hint.hidden = box.scrollWidth <= box.clientWidth + 1));
addEventListener("resize", showHints);
showHints();

if (shares()) document.getElementById(address().task)?.querySelector(".explorer")?.scrollIntoView({ behavior: "instant" });
document.documentElement.dataset.ready = "true";
