// The page draws what the server says and sends what the person does; all rules are the server's.

import { ask, element, find, inventory, once, sentence } from "./base.js";
import { DID, ENDINGS, moment, draw } from "./map.js";

const YOU = ["You wait", "You go forward", "You turn left", "You turn right"];
const KEYS = { // to a direction on the map: north, east, south, west
  ArrowUp: 0, w: 0, W: 0,
  ArrowRight: 1, d: 1, D: 1,
  ArrowDown: 2, s: 2, S: 2,
  ArrowLeft: 3, a: 3, A: 3,
};
const ARROWS = ["↑", "→", "↓", "←"];
const WAIT = 0;
const DIRECTIONS = ["north", "east", "south", "west"];

const message = find("message");
const step = find("step");
let state = null;
let watching = null; // the timer that shows one step after another

function tell(text, refused = false) {
  const line = find("heard");
  line.textContent = text;
  line.classList.toggle("refused", refused);
  message.classList.toggle("refused", refused);
  message.setAttribute("aria-invalid", String(refused));
}

const act = (action) => once(async () => {
  if (!state || state.outcome) return;
  try {
    show(await ask("act", { turn: state.turn, action, message: message.value }));
    message.value = "";
    tell("");
  } catch (error) {
    if (error.status === 409) show(await ask("state")); // another tab has played on
    tell(sentence(error), true);
    message.focus();
  }
});

// What the robot would hear is looked up while the person writes.
let typing = 0;
message.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const typed = message.value;
    if (!typed.trim()) return tell("");
    try {
      const { phrases, exact, refused } = await ask("hear", { words: typed });
      if (typed !== message.value) return;
      if (refused) tell(refused, true);
      else if (!phrases[0]) tell("Will be heard as silence.");
      else if (exact) tell("The dictionary has this phrase.");
      else tell(`Will be heard as “${phrases[0]}”, the nearest phrase.`);
    } catch (error) {
      tell(sentence(error), true);
    }
  }, 120);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target;
  if (target === message) {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      find("map").focus();
    }
    return;
  }
  if (target === step) return;
  if (event.key === "/") {
    event.preventDefault();
    message.focus();
    return;
  }
  const waits = event.key === " " || event.key === "Enter";
  const presses = waits && target.closest("a, button, summary");
  if (presses || !(waits || event.key in KEYS) || !state || state.outcome) return;
  event.preventDefault();
  if (event.repeat) return;
  const move = waits ? { action: WAIT } : state.moves.find(({ direction }) => direction === KEYS[event.key]);
  if (move) act(move.action);
  else tell("A car cannot turn back on the spot: go forward, left or right.");
});

find("play").addEventListener("submit", (event) => event.preventDefault());
for (const button of document.querySelectorAll("[data-action]")) {
  button.addEventListener("click", () => act(Number(button.dataset.action)));
}
find("map").addEventListener("click", (event) => {
  const hint = event.target.closest("[data-move]");
  if (hint) act(Number(hint.dataset.move));
});
find("new").addEventListener("click", () => once(async () => {
  try {
    show(await ask("new", {}));
    message.value = "";
    tell("");
    find("map").focus();
  } catch (error) {
    tell(sentence(error), true);
    find("note").textContent = sentence(error);
  }
}));

function show(next) {
  const over = Boolean(next.outcome);
  const justEnded = over && state && !state.outcome;
  state = next;
  stop();
  find("new").classList.toggle("first", over);
  find("end").hidden = !over;
  find("play").hidden = find("robot").hidden = over;
  showWords();
  showTalk();
  if (over) {
    find("outcome").textContent = `${ENDINGS[state.outcome]}.`;
    find("summary").textContent =
      `${state.turn} step${state.turn === 1 ? "" : "s"}, shared reward ${state.reward.toFixed(2)}. ` +
      "The fog has lifted: the robot’s car is the blue one.";
    find("note").textContent = state.note;
    step.max = String(state.turn);
    step.value = step.max;
    showStep();
    if (justEnded) find("outcome").focus();
  } else {
    draw(find("map"), { road: state.road, mine: state.car, hints: state.moves });
    for (const { action, direction } of state.moves) {
      document.querySelector(`[data-action="${action}"] kbd`).textContent = ARROWS[direction];
    }
    find("where").textContent = `You are heading ${DIRECTIONS[state.car.direction]}; ${bearing(state.car)}.`;
    find("left").textContent = `${state.steps_left} step${state.steps_left === 1 ? "" : "s"} left`;
  }
}

// Where the goal is: for those who cannot see the map, or want to be sure.
function bearing({ row, col, goal }) {
  const south = goal[0] - row;
  const east = goal[1] - col;
  const parts = [];
  if (south) parts.push(`${Math.abs(south)} ${south > 0 ? "south" : "north"}`);
  if (east) parts.push(`${Math.abs(east)} ${east > 0 ? "east" : "west"}`);
  return `your star is ${parts.join(" and ")} of you`;
}

function showWords() {
  const last = state.talk.at(-1);
  const said = find("said");
  said.classList.toggle("quiet", !last || !last.said.length);
  if (!last) said.textContent = "Nothing yet: you will hear what it says with its first move after yours.";
  else if (!last.said.length) said.textContent = "Nothing.";
  else said.textContent = `“${last.said[0].phrase}”`;
  find("others").textContent = last && last.said.length
    ? `score ${last.said.map(({ phrase, score }, rank) => `${rank ? `${phrase} ` : ""}${score.toFixed(2)}`).join(" · ")}` +
      " (lower is nearer)"
    : "";
}

function heardAs({ phrases, exact }) {
  if (!phrases[0]) return "heard as silence";
  return exact ? "heard as typed" : `heard as “${phrases[0]}”, the nearest phrase`;
}

function showTalk() {
  const over = Boolean(state.outcome);
  find("talk-title").textContent = over ? "Step by step" : "So far";
  find("nothing").hidden = state.talk.length > 0;
  const arrived = (number, seat) => over && state.states[number][seat].arrived;
  const rows = state.talk.map((turn, number) => {
    const you = element("div", {}, element("span", {
      className: "mine",
      textContent: arrived(number, state.seat) ? "You have arrived" : YOU[turn.action],
    }));
    if (turn.typed.trim()) {
      you.append(element("q", { textContent: turn.typed }));
      you.append(element("span", { className: "small", textContent: heardAs(turn) }));
    }
    const robot = 1 - state.seat;
    const said = turn.said.length ? "Robot says" : "Robot says nothing";
    const did = over ? `Robot ${DID[state.actions[number][robot]]}` : said;
    const other = element("div", {}, element("span", {
      className: "theirs",
      textContent: arrived(number, robot) ? "Robot has arrived" : did,
    }));
    if (turn.said.length) {
      other.append(element("q", { textContent: turn.said[0].phrase }));
      other.title = turn.said.map(({ phrase, score }) => `${phrase} ${score.toFixed(2)}`).join("\n");
    }
    return element("li", {}, element("span", { className: "number", textContent: String(number + 1) }), you, other);
  });
  if (!over) rows.reverse();
  find("talk").replaceChildren(...rows);
}

function showStep() {
  const at = Number(step.value);
  draw(find("map"), moment(state, at, [state.seat, 1 - state.seat]));
  find("step-label").textContent = `Step ${at} of ${state.turn}`;
  find("where").textContent = at === 0 ? "The start." : "";
  find("left").textContent = "";
  [...find("talk").children].forEach((row, number) => row.classList.toggle("shown", number + 1 === at));
}

function stop() {
  clearInterval(watching);
  watching = null;
  find("watch").textContent = "Replay";
}

step.addEventListener("input", () => {
  stop();
  showStep();
});
find("watch").addEventListener("click", () => {
  if (watching) return stop();
  step.value = "0";
  showStep();
  find("watch").textContent = "Stop";
  watching = setInterval(() => {
    step.value = String(Number(step.value) + 1);
    showStep();
    if (step.value === step.max) stop();
  }, 700);
});

show(await ask("state"));
find("phrases").append(...state.phrases.map((phrase) => element("option", { value: phrase })));
inventory(state.phrases, (phrase) => {
  message.value = phrase;
  message.dispatchEvent(new Event("input"));
  message.focus();
});
