// Suggestions while somebody types: phrases that continue the last words.

import { element } from "./base.js";

const MOST = 8;

// The phrases that begin with, or else contain a word that begins with, the last words typed.
export function suggestions(typed, phrases) {
  const words = typed.toLowerCase().split(/[\s,]+/);
  for (let count = Math.min(words.length, 3); count > 0; count -= 1) {
    const last = words.slice(-count).join(" ");
    if (!last.trim() || last.startsWith(" ")) continue;
    const begin = phrases.filter((phrase) => phrase.startsWith(last) && phrase !== last);
    const contain = phrases.filter((phrase) => phrase.split(" ").slice(1).some((word) => word.startsWith(last)));
    const found = [...new Set([...begin, ...contain])].slice(0, MOST);
    if (found.length) return { kept: words.slice(0, -count).join(" "), found };
  }
  return { kept: typed, found: [] };
}

// Make `input` a combobox over `list`; `taken` is called when one is chosen.
export function suggest(input, list, phrases, taken) {
  let current = -1;
  let offered = { kept: "", found: [] };

  function close() {
    list.hidden = true;
    current = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function take(phrase) {
    input.value = `${offered.kept ? `${offered.kept} ` : ""}${phrase}`;
    close();
    input.focus();
    taken();
  }

  function mark(place) {
    current = place;
    [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === place)));
    if (place >= 0) {
      input.setAttribute("aria-activedescendant", list.children[place].id);
      list.children[place].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  input.addEventListener("input", () => {
    offered = suggestions(input.value, phrases);
    list.replaceChildren(...offered.found.map((phrase, number) => {
      const item = element("li", { id: `suggestion-${number}`, textContent: phrase, role: "option" });
      item.addEventListener("pointerdown", (event) => event.preventDefault()); // keep the focus in the box
      item.addEventListener("click", () => take(phrase));
      return item;
    }));
    mark(-1);
    list.hidden = !offered.found.length;
    input.setAttribute("aria-expanded", String(Boolean(offered.found.length)));
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    const count = list.children.length;
    if (event.key === "ArrowDown") mark((current + 1) % count);
    else if (event.key === "ArrowUp") mark(current > 0 ? current - 1 : count - 1);
    else if (event.key === "Escape") close();
    else if ((event.key === "Enter" || event.key === "Tab") && current >= 0) take(offered.found[current]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", () => setTimeout(close, 100));
  return close;
}
