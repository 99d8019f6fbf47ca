// Watch two robots drive and talk through English, step by step or automatically.

import { ask, element, find, once, sentence } from "./base.js";
import { DID, ENDINGS, moment, draw } from "./map.js";

const PAUSE = Number(new URLSearchParams(location.search).get("pause")) || 1200; // milliseconds between steps
const step = find("step");
let game = null;
let timer = null;

function begin() {
  return once(async () => {
    try {
      game = await ask("watch", {});
      step.max = String(game.turns.length);
      step.value = "0";
      show();
    } catch (error) {
      stop();
      find("outcome").textContent = sentence(error);
    }
  });
}

function show() {
  const at = Number(step.value);
  draw(find("map"), moment(game, at, [0, 1]));
  const over = at === game.turns.length;
  find("step-label").textContent = `Step ${at} of ${game.turns.length}`;
  find("outcome").textContent = over ? `${ENDINGS[game.outcome]}; shared reward ${game.reward.toFixed(2)}.` : "";
  find("back").disabled = at === 0;
  find("next").textContent = over ? "Next game" : "Next step";
  find("talk").replaceChildren(...game.turns.slice(0, at).map(row).reverse());
}

function row(turn, number) {
  const sides = turn.map(({ action, arrived, said }, seat) => {
    const side = element("div", {}, element("span", {
      className: seat ? "theirs" : "mine",
      textContent: arrived ? "has arrived" : DID[action],
    }));
    if (said.length) {
      side.append(element("q", { textContent: said[0].phrase }));
      side.title = said.map(({ phrase, score }) => `${phrase} ${score.toFixed(2)}`).join("\n");
    }
    return side;
  });
  return element("li", {}, element("span", { className: "number", textContent: String(number + 1) }), ...sides);
}

async function go(by) {
  if (!game || (by > 0 && step.value === step.max)) return begin();
  step.value = String(Number(step.value) + by);
  return show();
}

function stop() {
  clearInterval(timer);
  timer = null;
  find("auto").textContent = "Play automatically";
  find("auto").setAttribute("aria-pressed", "false");
}

function automatic() {
  if (timer) return stop();
  find("auto").textContent = "Stop";
  find("auto").setAttribute("aria-pressed", "true");
  timer = setInterval(() => go(1), PAUSE);
  return go(1);
}

function byHand(by) {
  stop();
  return go(by);
}

find("next").addEventListener("click", () => byHand(1));
find("back").addEventListener("click", () => byHand(-1));
find("auto").addEventListener("click", automatic);
find("new").addEventListener("click", () => {
  stop();
  begin();
});
step.addEventListener("input", () => {
  stop();
  show();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("a, input")) return;
  if (event.key === "ArrowRight") byHand(1);
  else if (event.key === "ArrowLeft" && !find("back").disabled) byHand(-1);
  else if (event.key === "a" || event.key === "A") automatic();
});

await begin();
