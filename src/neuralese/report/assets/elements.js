// small building blocks; text from data is only ever inserted as text

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const find = (root, name) => root.querySelector(`[data-part="${name}"]`);
const read = (element) => JSON.parse(element.textContent);

// why the same words keep coming back, if they do
const repeated = (part) => (part.repeated ? make("p", { class: "note" }, part.repeated) : null);

let numbered = 0;
const fresh = (name) => `${name}-${(numbered += 1)}`;

// a group of radio buttons that look like chips: arrow keys, Tab and clicks work natively
function choices(label, options, chosen, onChoose) {
  const name = fresh("choice");
  const box = make("div");
  for (const { value, content, pictured, title } of options) {
    const input = make("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onChoose(value) });
    const text = make("span", {}, ...[content].flat());
    box.append(make("label", { class: pictured ? "choice pictured" : "choice", title }, input, text));
  }
  return make("fieldset", { class: "choices" }, make("legend", {}, label), box);
}

function dropDown(label, options, chosen, onChoose) {
  const select = make("select", { onchange: (event) => onChoose(event.target.value) });
  for (const [value, text] of options) select.append(make("option", { value, selected: value === chosen }, text));
  return make("label", {}, label, select);
}
