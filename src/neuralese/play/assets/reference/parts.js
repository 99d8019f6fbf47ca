// Building blocks of both views: candidates, beliefs, messages and translations.

import { element } from "./base.js";

const SVG = "http://www.w3.org/2000/svg";
const HOW = { dictionary: "from the dictionary", scored: "not in the dictionary: scored now" };

export const percent = (share) => `${Math.round(100 * share)} %`;
export const letter = (place) => String.fromCharCode(65 + place);

// A candidate as a picture; with `onPick` it is a button.
export function candidate({ picture, name }, place, { tags = [], classes = [], onPick = null } = {}) {
  const image = element("img", { src: picture, alt: name ? `${letter(place)}: ${name}` : letter(place), draggable: false });
  const caption = element("span", { className: "caption" }, element("b", { textContent: letter(place) }));
  for (const tag of tags) caption.append(element("span", { className: "tag", textContent: tag }));
  if (name) caption.append(element("span", { className: "small", textContent: name }));
  const made = element(onPick ? "button" : "div", { className: ["candidate", ...classes].join(" ") }, image, caption);
  if (onPick) {
    made.type = "button";
    made.setAttribute("aria-keyshortcuts", String(place + 1));
    made.setAttribute("aria-label", `Pick ${letter(place)}`);
    made.addEventListener("click", onPick);
  }
  return made;
}

// What something makes a listener believe: a bar for each candidate.
export function bars(title, beliefs, candidates, kind) {
  const rows = beliefs.map((belief, place) => {
    const fill = element("span", {});
    fill.style.width = percent(belief).replace(" ", ""); // as it says next to the bar
    return element("div", { className: "bar" },
      element("img", { src: candidates[place].picture, alt: "" }),
      element("span", { textContent: letter(place) }),
      element("span", { className: "track" }, fill),
      element("span", { className: "number", textContent: percent(belief) }));
  });
  return element("div", { className: `bars ${kind}` }, element("p", { className: "small", textContent: title }), ...rows);
}

// A message: symbols unchanged, a vector as a strip with one bar up or down per number.
export function message({ vector, symbols }) {
  if (symbols) return element("p", { className: "symbols", textContent: symbols.join(" ") || "(nothing)" });
  const most = Math.max(...vector.map(Math.abs), 1e-9);
  const strip = document.createElementNS(SVG, "svg");
  strip.setAttribute("viewBox", `0 -1 ${vector.length} 2`);
  strip.setAttribute("preserveAspectRatio", "none");
  strip.setAttribute("class", "strip");
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", `A message of ${vector.length} numbers`);
  vector.forEach((number, place) => {
    const bar = document.createElementNS(SVG, "rect");
    const height = Math.abs(number) / most;
    for (const [name, value] of Object.entries({ x: place + 0.1, width: 0.8, y: number > 0 ? -height : 0, height })) {
      bar.setAttribute(name, value);
    }
    strip.append(bar);
  });
  return strip;
}

// The nearest translations with their scores, and how they were found.
export function nearest({ best, how }) {
  const items = best.map(({ text, score }) => element("li", {},
    element("span", { textContent: text }),
    element("span", { className: "number", textContent: score === null ? "∞" : score.toFixed(2) })));
  return element("div", { className: "nearest" },
    element("ol", {}, ...items),
    element("p", { className: "small", textContent: `${HOW[how]}; a lower score is nearer` }));
}
