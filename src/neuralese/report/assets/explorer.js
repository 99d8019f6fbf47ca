// choose a message, and see its English and what it makes a listener believe; or a phrase, and where robots say it

const shared = read(document.getElementById("shared"));
const sources = [...document.querySelectorAll("script.part")];
const tasks = [...new Set(sources.map(({ dataset }) => dataset.task))];
const seedsOf = (task) => sources.filter(({ dataset }) => dataset.task === task).map(({ dataset }) => dataset.seed);
const loaded = new Map();
const chosen = { task: tasks[0], seed: sources[0]?.dataset.seed, way: "say", at: 0, rank: 0, phrase: null };
const onSeed = []; // what else shows the chosen seed

// what is known of a task, for the chosen seed or its first
function load(task) {
  const own = sources.filter(({ dataset }) => dataset.task === task);
  const source = own.find(({ dataset }) => dataset.seed === chosen.seed) ?? own[0];
  if (!loaded.has(source)) loaded.set(source, read(source));
  return loaded.get(source);
}

// the reader's choice is kept in the page's address, so that it can be shared: #explore?task=colors&way=say&at=7
function remember() {
  try {
    history.replaceState(null, "", `#explore?${new URLSearchParams(Object.entries(chosen).filter(([, value]) => value != null))}`);
  } catch {
    // some browsers refuse this for files; only the address is lost
  }
}

function recall() {
  const [place, wanted] = location.hash.slice(1).split("?");
  if (place !== "explore" || !wanted) return false;
  const asked = Object.fromEntries(new URLSearchParams(wanted));
  const task = tasks.includes(asked.task) ? asked.task : tasks[0];
  Object.assign(chosen, { task, seed: seedsOf(task).includes(asked.seed) ? asked.seed : seedsOf(task)[0], way: asked.way === "hear" ? "hear" : "say", rank: 0 });
  const { messages, phrases } = load(task);
  chosen.at = messages[asked.at] ? Number(asked.at) : 0;
  chosen.phrase = phrases[asked.phrase] ? Number(asked.phrase) : null;
  if (messages[chosen.at]?.english[asked.rank]) chosen.rank = Number(asked.rank);
  return true;
}

const EXAMPLES = 6; // the last messages, which are shown below the explorer
const COUNTS = { 2: "two", 3: "three", 4: "four", 5: "five" };
const percent = (share) => (share > 0.995 && share < 1 ? ">99 %" : share < 0.005 && share > 0 ? "<1 %" : `${Math.round(100 * share)} %`);

// a phrase in a sentence: a comparison if the speaker saw all candidates, otherwise a description
function says(part, text) {
  const phrase = make("em", {}, `“${text}”`);
  const count = part.messages[0].states.length;
  return part.comparative && !text.startsWith("(") ? [`Of the ${COUNTS[count] ?? count}, the more `, phrase, " one."] : [phrase];
}

// vectors are drawn, symbols written
function written(message) {
  if (typeof message === "string") return make("code", { class: "symbols" }, message);
  const most = Math.max(...message.map(Math.abs), 0.01);
  const lines = message.map((value, i) => `M${i + 0.5} 0V${((-20 * value) / most).toFixed(1)}`).join("");
  const label = `${message.length} numbers: ${message.slice(0, 4).map((value) => value.toFixed(2)).join(", ")}${message.length > 4 ? " …" : ""}`;
  const drawing = draw("svg", { viewBox: `0 -20 ${message.length} 40`, preserveAspectRatio: "none", class: "vector", role: "img", "aria-label": label }, draw("path", { d: lines }));
  return make("div", {}, drawing, make("p", { class: "small muted" }, label));
}

// how much more than any other the true candidate, the first, is believed
const lead = (beliefs) => beliefs[0] - Math.max(...beliefs.slice(1));
function verdict(beliefs) {
  const [text, kind] = lead(beliefs) > 0 ? ["✓ H* picks it", "right"] : lead(beliefs) < 0 ? ["✗ H* picks another", "wrong"] : ["? H* cannot decide", ""];
  return make("p", { class: `told ${kind}` }, text);
}

const bar = (share, kind = "") => make("span", { class: `bar ${kind}` }, make("i", { style: `width: ${100 * share}%` }));
const step = (title, ...children) => make("li", {}, make("h3", {}, title), children);

// states of which robots say a phrase, of those drawn for this page
function where(part, number) {
  const found = part.cloud.states.filter((_, i) => part.cloud.phrases[i] === number).slice(0, EXAMPLES);
  return make("div", {}, make("h3", {}, "Robots say it of"), found.length ? make("ul", { class: "where" }, found.map((states) => make("li", {}, seen(part, states), make("span", { class: "small muted" }, named(part, states[0]))))) : "Nothing that was drawn for this page.");
}

const gauge = (part, { count, right }) => [
  bar(count && right),
  make("p", {}, count ? [make("b", {}, `Understood by H* ${percent(right)} of the time`), `, over the ${count.toLocaleString("en")} of ${part.of.toLocaleString("en")} test messages that are put this way.`] : "No test message is put this way."),
];

function message(part) {
  const { states, message: sent, robot, english } = part.messages[chosen.at];
  const [, text, human] = english[chosen.rank];
  const [meant, other] = roles(part);
  const card = (state, place) => make("figure", { class: place ? "" : "meant" }, picture(part, state), make("figcaption", {}, place ? other : meant));
  const believed = states.map((state, place) => make("div", { class: `believed${place ? "" : " meant"}`, role: "img", "aria-label": `${place ? other : meant}, ${named(part, state)}: H* ${percent(human[place])}, the robot's model ${percent(robot[place])}` }, picture(part, state), make("div", {}, bar(human[place]), make("b", {}, percent(human[place])), bar(robot[place], "robot"), make("span", {}, percent(robot[place])))));
  const used = part.phrases.findIndex((each) => each.text === text);
  const rows = english.map(([by, words, beliefs], value) => ({ value, content: [make("small", {}, by === part.criterion ? `${by} ${value + 1}` : by), make("em", {}, words), bar(beliefs[0], by === part.criterion ? "" : "other"), make("span", { class: "n" }, percent(beliefs[0]))] }));
  return [
    make("ol", { class: "chain" },
      step("The robot sees", make("div", { class: "cards" }, (part.comparative ? states : states.slice(0, 1)).map(card))),
      step("It says", written(sent)),
      step("In English", make("p", { class: "says" }, says(part, text)), make("p", { class: "small muted" }, part.comparative ? `A comparison, since the robot saw all candidates. “${text}” alone was scored.` : "A description, since the robot saw this state alone.")),
      step("Who hears it believes", believed, verdict(human), make("p", { class: "key" }, make("span", {}, bar(1), "H*, from the English"), make("span", {}, bar(1, "robot"), "a model of the robot, from the message"))),
    ),
    make("div", { class: "more" },
      choices("Other translations, and how strongly H* then believes in what was meant", "rows", rows, chosen.rank, (rank) => change({ rank })),
      used < 0 ? null : make("div", {}, make("h3", {}, `How often “${text}” works`), gauge(part, part.phrases[used]), where(part, used)),
    ),
  ];
}

function phrase(part) {
  const known = part.phrases[chosen.phrase];
  return make("div", { class: "more" },
    make("div", {}, make("p", { class: "says" }, says(part, known.text)), gauge(part, known)),
    where(part, chosen.phrase),
    known.message && make("div", {}, make("h3", {}, "Said to a robot, it becomes"), written(known.message), make("div", { class: "once" }, seen(part, known.said_in), make("p", { class: "small muted" }, `A robot's own message, said of ${named(part, known.said_in[0])}${part.comparative ? `, not ${others(part, known.said_in)}` : ""}.`))),
  );
}

const controls = make("div", { class: "controls" });
const list = make("div");
const panel = make("div", { class: "panel", role: "region", "aria-label": "What was chosen" });
const spoken = make("p", { class: "hidden", role: "status" });
document.getElementById("explorer").append(controls, list, panel, spoken);

// draw what was chosen anew, but leave the keyboard where it is
function present() {
  const part = load(chosen.task);
  const here = panel.contains(document.activeElement) ? document.activeElement.value : null;
  panel.replaceChildren(...[chosen.way === "say" ? message(part) : phrase(part)].flat());
  if (here != null) panel.querySelector(`input[value="${CSS.escape(here)}"]`)?.focus();
  spoken.textContent = panel.querySelector(".says").textContent;
}

function change(values) {
  Object.assign(chosen, { rank: 0 }, values);
  present();
  remember();
}

function offer() {
  const part = load(chosen.task);
  if (chosen.way === "say") {
    const tiles = part.messages.slice(0, Math.max(1, part.messages.length - EXAMPLES)).map(({ states, english }, value) => ({
      value,
      content: [seen(part, states), make("em", {}, english[0][1]), lead(english[0][2]) < 0 ? make("b", { class: "wrong" }, "✗") : null],
      title: named(part, states[0]),
    }));
    list.replaceChildren(choices(`${tiles.length} of ${part.of.toLocaleString("en")} test messages, drawn at random. First what the robot means, below it the message in English; ✗ is misunderstood (${percent(1 - part.right)} of all).`, "tiles", tiles, chosen.at, (at) => change({ at })));
    return;
  }
  const order = [...part.phrases.keys()].filter((each) => part.phrases[each].text).sort((a, b) => part.phrases[b].count - part.phrases[a].count);
  chosen.phrase ??= order[0];
  const chips = order.map((value) => ({ value, content: [part.shades?.[value] && make("i", { style: `background: ${part.shades[value]}` }), make("em", {}, part.phrases[value].text), make("small", {}, part.phrases[value].count.toLocaleString("en"))] }));
  const box = choices("Phrases, and how many test messages each of them translates", "chips", chips, chosen.phrase, (phrase) => change({ phrase }));
  const find = make("input", { type: "search", placeholder: "Find a phrase", "aria-label": "Find a phrase", oninput: () => box.querySelectorAll("label").forEach((each) => (each.hidden = !each.querySelector("em").textContent.toLowerCase().includes(find.value.toLowerCase()))) });
  list.replaceChildren(find, box);
}

function explore() {
  const seeds = seedsOf(chosen.task);
  const tabs = tasks.map((value) => ({ value, content: shared.names[value] }));
  const ways = [{ value: "say", content: "Robot → English" }, { value: "hear", content: "English → robot" }];
  const again = (values) => {
    Object.assign(chosen, { at: 0, phrase: null }, values);
    offer();
    change({});
  };
  controls.replaceChildren(
    choices("Task", "tabs", tabs, chosen.task, (task) => again({ task })),
    choices("Direction", "tabs", ways, chosen.way, (way) => again({ way })),
    ...(seeds.length > 1 ? [dropDown("Seed ", seeds.map((seed) => [seed, seed]), chosen.seed, (seed) => (again({ seed }), onSeed.forEach((react) => react())))] : []),
  );
  offer();
  present();
}

// examples that nobody picked
function examples(part) {
  const first = Math.max(0, part.messages.length - EXAMPLES);
  return make("ul", { class: "examples" }, part.messages.slice(first).map(({ states, english }, place) => {
    const others = english.filter(([by]) => shared.baselines.includes(by)).map(([by, text, beliefs]) => make("p", { class: "small muted" }, `${by}: `, make("em", {}, text), lead(beliefs) > 0 ? " ✓" : " ✗"));
    return make("li", {}, pair(part, states), make("p", { class: "says" }, says(part, english[0][1])), verdict(english[0][2]), others, make("a", { href: `#explore?task=${encodeURIComponent(part.task)}&seed=${part.seed}&way=say&at=${first + place}`, class: "small", "aria-label": `Look closer at ${named(part, states[0])}` }, "Look closer"));
  }));
}
