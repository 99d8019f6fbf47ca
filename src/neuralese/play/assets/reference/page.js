// Play: the page draws what the server says and sends what the person does; all rules are the server's.

import { ask, element, find, inventory, once, sentence } from "./base.js";
import { bars, candidate, letter, message, nearest } from "./parts.js";

const words = find("words");
let state = null;
let known = null; // the constants of the game

function tell(text, refused = false) {
  find("heard").textContent = text;
  find("heard").classList.toggle("refused", refused);
  words.classList.toggle("refused", refused);
  words.setAttribute("aria-invalid", String(refused));
}

// Ask the server for something, and show the game after it.
function play(path, body) {
  return once(async () => {
    try {
      show(await ask(path, body));
      tell("");
    } catch (error) {
      if (error.status === 409) show(await ask("state")); // another tab has played on
      find("how").textContent = sentence(error);
      tell(sentence(error), true);
      if (state && state.kind === "describe" && !state.answered) words.focus();
    }
  });
}

const pick = (place) => play("pick", { round: state.round, place });
const next = () => play("next", { round: state.round });

function show(changed) {
  const before = state;
  state = changed;
  const { kind, answered, over } = state;
  const dealt = !before || before.round !== state.round || before.played > state.played;
  find("round").textContent = `Round ${state.round} of ${state.rounds}`;
  find("score").textContent = state.played ? `${state.score} of ${state.played} right` : "";
  find("turn").textContent = turn();
  find("say").hidden = kind !== "describe" || answered;
  find("speech").hidden = kind !== "pick" || answered;
  find("result").hidden = !answered;
  find("next").hidden = !answered || over;
  find("end").hidden = !over;
  find("new").classList.toggle("first", over);
  showCandidates();
  showHistory();
  if (state.english) showSpeech();
  if (answered) showResult();
  if (over) {
    find("outcome").textContent = `The game is over: ${state.score} of ${state.rounds} right.`;
    find("note").textContent = state.note;
  }
  if (dealt) words.value = "";
  if (dealt && before) focusOn(kind === "describe" ? words : find("turn"));
  if (answered && before && !before.answered) focusOn(over ? find("new") : find("next"));
}

// On a touch screen the keyboard would cover the candidates.
function focusOn(target) {
  if (target === words && matchMedia("(hover: none)").matches) find("turn").focus({ preventScroll: true });
  else target.focus({ preventScroll: target !== find("next") });
}

function turn() {
  if (state.answered) return state.kind === "describe" ? "You described, the robot picked." : "The robot spoke, you picked.";
  return state.kind === "describe"
    ? `Describe ${letter(state.target)}, so that the robot picks it.`
    : "Which one does the robot mean?";
}

function showCandidates() {
  const { kind, answered, target, result } = state;
  find("candidates").replaceChildren(...state.candidates.map((each, place) => {
    const tags = [];
    const classes = [];
    if (place === target) {
      if (kind === "describe") tags.push(answered ? "★ described" : "★ yours to describe");
      else tags.push("★ meant");
      classes.push("target");
    }
    if (answered && place === result.picked) {
      tags.push(kind === "describe" ? "picked by the robot" : "picked by you");
      classes.push(result.right ? "right" : "wrong");
    }
    const onPick = kind === "pick" && !answered ? () => pick(place) : null;
    return candidate(each, place, { tags, classes, onPick });
  }));
}

function showSpeech() {
  find("said").textContent = `“${state.english.best[0].text}”`;
  find("nearest").replaceChildren(nearest(state.english));
  find("speech-title").textContent = `The robot says, through ${through()}`;
}

const through = () => `the ${known.criterion} dictionary`;

function showResult() {
  const { kind, candidates, result } = state;
  const described = kind === "describe";
  const listener = described ? "The robot" : "You";
  find("verdict").textContent = result.right
    ? `${listener} picked the right one.`
    : `${listener} picked ${letter(result.picked)}, but it was ${letter(state.target)}.`;
  find("verdict").className = `headline ${result.right ? "right" : "wrong"}`;
  find("how").replaceChildren(...(described ? heard(result) : [`The robot said “${result.words}”, through ${through()}.`]));
  const blocks = [bars(`What the words “${result.words}” say`, result.words_belief, candidates, "words")];
  const told = described ? "The message that the robot heard" : "The message that the robot sent";
  blocks.push(element("p", { className: "small", textContent: told }), message(result.message));
  blocks.push(bars("What this message says in the robot’s language", result.message_belief, candidates, "message"));
  blocks.push(translations(described ? "Nearest messages" : "Nearest phrases", result.translations));
  find("why").replaceChildren(...(described ? blocks : [...blocks.slice(1, 4), blocks[0], blocks[4]]));
}

function translations(title, found) {
  return element("details", {}, element("summary", { textContent: title }), nearest(found));
}

function heard({ words: typed, heard: { phrases, corrected, left_out: out } }) {
  const parts = [`You said “${typed}”, which ${through()} took as ${phrases.map((each) => `“${each}”`).join(" and ")}.`];
  const fixed = Object.entries(corrected).map(([word, meant]) => `“${word}” was read as “${meant}”`);
  const lost = out.length ? [`${out.map((word) => `“${word}”`).join(", ")} meant nothing to it`] : [];
  if (fixed.length + lost.length) parts.push(` (${[...fixed, ...lost].join("; ")}.)`);
  return parts;
}

function showHistory() {
  find("nothing").hidden = state.history.length > 0;
  const rows = state.history.map(({ kind, words: said, right }, number) => element("li", {},
    element("span", { className: "number", textContent: String(number + 1) }),
    element("span", { className: kind === "describe" ? "mine" : "theirs", textContent: kind === "describe" ? "You" : "Robot" }),
    element("q", { textContent: said }),
    element("span", { className: right ? "right" : "wrong", textContent: right ? "✓ understood" : "✗ not understood" })));
  find("history").replaceChildren(...rows.reverse());
}

// What would be heard is looked up while the person types.
let typing = 0;
function preview() {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const typed = words.value;
    if (!typed.trim()) return tell("");
    try {
      const { phrases, corrected, left_out: out, refused } = await ask("hear", { words: typed });
      if (typed !== words.value) return;
      if (refused) return tell(refused, true);
      const lost = out.filter((word) => !(word in corrected));
      tell(`Will be heard as ${phrases.map((each) => `“${each}”`).join(" and ")}` +
        `${lost.length ? `; “${lost.join(" ")}” means nothing to the dictionary` : ""}.`);
    } catch (error) {
      tell(sentence(error), true);
    }
  }, 120);
}

find("say").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  if (state && !state.answered) play("describe", { round: state.round, words: words.value });
});
words.addEventListener("input", preview);
find("next").addEventListener("click", next);
find("new").addEventListener("click", () => play("new", {}));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || !state) return;
  const target = event.target;
  if (target === words) return;
  const place = Number(event.key) - 1;
  if (state.kind === "pick" && !state.answered && place in state.candidates) {
    event.preventDefault();
    pick(place);
  } else if (event.key === "/" && !find("say").hidden) {
    event.preventDefault();
    words.focus();
  } else if (event.key === "Enter" && !find("next").hidden && !target.closest("button, summary, a")) {
    event.preventDefault();
    next();
  }
});

known = await ask("state");
find("phrases").append(...known.phrases.map((phrase) => element("option", { value: phrase })));
find("title").textContent = `${known.title}: talking with a robot`;
document.title = find("title").textContent;
inventory(known.phrases, (phrase) => {
  words.value = `${words.value.trim()} ${phrase}`.trim();
  preview();
  if (!find("say").hidden) words.focus();
});
show(known);
if (state.kind === "describe" && !state.answered) focusOn(words);
