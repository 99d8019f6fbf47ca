// states as pictures, the true one first: swatches, photographs, or whatever a task's own script draws

// what tasks define: named(part, state), picture(part, state, label), roles, games(part); each may be left out
const views = {};

const byItem = {
  named: (part, item) => part.items[item].name,
  picture(part, item, label) {
    const { color: shade, image, text } = part.items[item];
    if (shade && text) return make("div", { class: "half named", role: "img", "aria-label": label, title: label, style: `background: ${shade}` }, make("span", {}, text));
    if (shade) return make("div", { class: "half", role: "img", "aria-label": `${label} ${shade}`, title: label, style: `background: ${shade}` });
    if (image) return make("img", { class: "half", src: image, alt: label, title: label });
    return make("div", { class: "half named" }, label);
  },
  roles: ["the target", "the other"],
};

const view = (part) => ({ ...byItem, ...views[part.task] });

// a candidate's name, its picture, and the others
const named = (part, state) => view(part).named(part, state);
const picture = (part, state) => view(part).picture(part, state, named(part, state));
const others = (part, states) => states.slice(1).map((each) => named(part, each)).join(" or ");
const roles = (part) => view(part).roles;

const pair = (part, states) => make("div", { class: "pair" }, states.map((each) => picture(part, each)));
// what a speaker sees of its state: all candidates if what it says is a comparison, or the true one alone
const seen = (part, states) => pair(part, part.comparative ? states : states.slice(0, 1));
