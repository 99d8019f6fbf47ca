// Watch two robots talk through English, step by step or automatically.

import { ask, element, find, once, sentence } from "./base.js";
import { bars, candidate, letter, message, nearest } from "./parts.js";

const PAUSE = 1800; // milliseconds between automatic steps
const QUICK = Number(new URLSearchParams(location.search).get("pause")) || PAUSE;
let seen = null; // the message that is being watched
let reached = 0; // number of its steps shown
let timer = null;
const count = { heard: 0, right: 0, unaided: 0 };

const STEPS = [
  () => step("The first robot sees", "It wants the other to pick the marked one.", pictures({ target: true })),
  () => step("It says", "Its message, as it comes out of the noisy channel.", message(seen.message),
    bars("What the message says", seen.message_belief, seen.candidates, "message")),
  () => step(`The ${known.criterion} dictionary says, in English`, "", element("p", { className: "said", textContent: `“${seen.english.best[0].text}”` }),
    nearest(seen.english), bars("What the words say", seen.words_belief, seen.candidates, "words")),
  () => step("Which becomes the message", "That is all the second robot hears.", message(seen.received),
    nearest(seen.neuralese), bars("What this message says", seen.received_belief, seen.candidates, "message")),
  () => step(`The second robot picks ${letter(seen.picked)}`, verdict(), pictures({ target: true, picked: true })),
];

function verdict() {
  const told = seen.right ? "That is the one." : `The first robot meant ${letter(seen.target)}.`;
  const alone = seen.unaided === seen.target ? "also picks the right one" : `picks ${letter(seen.unaided)}`;
  return `${told} If it hears the message itself, it ${seen.right === (seen.unaided === seen.target) ? alone : alone.replace("also ", "")}.`;
}

function pictures({ target = false, picked = false }) {
  return element("div", { className: "candidates" }, ...seen.candidates.map((each, place) => {
    const tags = [];
    const classes = [];
    if (target && place === seen.target) {
      tags.push("★ meant");
      classes.push("target");
    }
    if (picked && place === seen.picked) {
      tags.push("picked");
      classes.push(seen.right ? "right" : "wrong");
    }
    return candidate(each, place, { tags, classes });
  }));
}

function step(title, note, ...content) {
  const last = reached === STEPS.length - 1;
  return element("li", { className: last ? (seen.right ? "right" : "wrong") : "" },
    element("h2", { textContent: title }), element("p", { className: "small", textContent: note }), ...content);
}

function go() {
  return once(async () => {
    try {
      if (!seen || reached === STEPS.length) {
        seen = await ask("watch", {});
        reached = 0;
        find("steps").replaceChildren();
      }
      find("steps").append(STEPS[reached]());
      reached += 1;
      find("fault").hidden = true;
      if (reached === STEPS.length) showCount();
      const shown = find("steps").lastElementChild;
      if (reached > 1) shown.scrollIntoView({ block: "nearest" });
      find("step").firstChild.textContent = reached === STEPS.length ? "Next message " : "Next step ";
    } catch (error) {
      stop();
      find("fault").hidden = false;
      find("fault").textContent = sentence(error);
    }
  });
}

function showCount() {
  count.heard += 1;
  count.right += seen.right;
  count.unaided += seen.unaided === seen.target;
  const { heard, right, unaided } = count;
  find("watched").textContent =
    `${right} of ${heard} understood through English, ${unaided} of ${heard} without translation.`;
}

function stop() {
  clearInterval(timer);
  timer = null;
  find("auto").firstChild.textContent = "Play automatically ";
  find("auto").setAttribute("aria-pressed", "false");
}

function automatic() {
  if (timer) return stop();
  find("auto").firstChild.textContent = "Stop ";
  find("auto").setAttribute("aria-pressed", "true");
  timer = setInterval(go, QUICK);
  go();
}

find("step").addEventListener("click", () => {
  stop();
  go();
});
find("auto").addEventListener("click", automatic);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("button, a")) return;
  if (event.key === "Enter" || event.key === "ArrowRight") {
    stop();
    go();
  } else if (event.key === "a" || event.key === "A") automatic();
});

const known = await ask("state");
find("title").textContent = `${known.title}: two robots talk`;
document.title = find("title").textContent;
await go();
