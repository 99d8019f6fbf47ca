// what all tasks share: charts in their places, and tables that scroll

document.querySelectorAll("[data-charts]").forEach((box) => box.append(...shared.charts[box.dataset.charts].map((spec) => chart(spec))));

// a table that is wider than the screen says so
const hints = [...document.querySelectorAll(".scroll")].map((box) => [box, make("p", { class: "hint wide", hidden: true }, "Scroll the table sideways to see all columns →")]);
for (const [box, hint] of hints) box.before(hint);
const showHints = () => hints.forEach(([box, hint]) => (hint.hidden = box.scrollWidth <= box.clientWidth + 1));
addEventListener("resize", showHints);
showHints();

if (shares()) document.getElementById(address().task)?.querySelector(".explorer")?.scrollIntoView({ behavior: "instant" });
// the list of sections marks the one being read

const listed = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      for (const link of listed.values()) link.removeAttribute("aria-current");
      const link = listed.get(target.id);
      link.setAttribute("aria-current", "true");
      const list = link.closest("ul");
      list.scrollTo({ left: link.offsetLeft - list.offsetLeft - list.clientWidth / 3, behavior: "smooth" });
    }
  },
  { rootMargin: "-15% 0px -80% 0px" },
);
for (const id of listed.keys()) reading.observe(document.getElementById(id));

document.documentElement.dataset.ready = "true";
