// small building blocks; text from data is only ever inserted as text

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const read = (element) => JSON.parse(element.textContent);

// why the same words keep coming back, if they do
const repeated = (part) => (part.repeated ? make("p", { class: "note" }, part.repeated) : null);

// a group of radio buttons that look like chips, tiles or rows: arrow keys, Tab and clicks work natively
let groups = 0;
function choices(label, kind, options, chosen, onChoose) {
  const name = `choice-${(groups += 1)}`;
  const box = options.map(({ value, content, title }) => {
    const input = make("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onChoose(value) });
    return make("label", { class: "choice", title }, input, make("span", {}, content));
  });
  return make("fieldset", { class: `choices ${kind}` }, make("legend", {}, label), make("div", {}, box));
}

function dropDown(label, options, chosen, onChoose) {
  const select = make("select", { onchange: (event) => onChoose(event.target.value) });
  for (const [value, text] of options) select.append(make("option", { value, selected: value === chosen }, text));
  return make("label", {}, label, select);
}

// light or dark: the system's setting until the reader chooses

const onTheme = [];
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.style.colorScheme || (system.matches ? "dark" : "light")) === "dark";

const probe = document.body.appendChild(make("span", { hidden: true }));
function color(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

const themeButton = document.getElementById("theme");
function themeChanged() {
  themeButton.textContent = isDark() ? "Light theme" : "Dark theme";
  onTheme.forEach((react) => react());
}
themeButton.addEventListener("click", () => {
  document.documentElement.style.colorScheme = isDark() ? "light" : "dark";
  themeChanged();
});
system.addEventListener("change", themeChanged);
themeChanged();
