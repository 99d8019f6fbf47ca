// what all tasks share: charts in their places, and tables that scroll

document.querySelectorAll("[data-charts]").forEach((box) => box.append(...shared.charts[box.dataset.charts].map((spec) => chart(spec))));

// a table that is wider than the screen says so
const hints = [...document.querySelectorAll(".scroll")].map((box) => [box, make("p", { class: "hint wide", hidden: true }, "Scroll the table sideways to see all columns →")]);
for (const [box, hint] of hints) box.before(hint);
const showHints = () => hints.forEach(([box, hint]) => (hint.hidden = box.scrollWidth <= box.clientWidth + 1));
addEventListener("resize", showHints);
showHints();

if (shares()) document.getElementById(address().task)?.querySelector(".explorer")?.scrollIntoView({ behavior: "instant" });
document.documentElement.dataset.ready = "true";
