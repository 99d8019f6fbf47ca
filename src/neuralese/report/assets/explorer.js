// choose a phrase or a message; see its best translations and what both make a listener believe

// the reader's choices are kept in the page's address, so that it can be shared: #colors?direction=H->R&source=blue

function address() {
  const [task, chosen] = location.hash.slice(1).split("?");
  return { task: decodeURIComponent(task), ...Object.fromEntries(new URLSearchParams(chosen ?? "")) };
}

function remember(task, values) {
  try {
    history.replaceState(null, "", `#${encodeURIComponent(task)}?${new URLSearchParams(values)}`);
  } catch {
    // some browsers refuse this for files; only the address is lost
  }
}

const shares = () => location.hash.includes("?");
addEventListener("hashchange", () => shares() && location.reload());

const SHOWN = 12; // number of states shown at first
const MANY = { phrase: "phrases", bag: "sets of phrases", message: "messages", new: "new messages" };
const WAYS = { "R->H": "message → English", "H->R": "phrase → message" };

// what the address asks for, if it is for this task and seed and exists
function asked(part) {
  const { task, seed, direction, criterion, source, rank } = address();
  if (task !== part.task || seed !== String(part.seed)) return {};
  const entry = part.translations.find((each) => each.direction === direction && each.criterion === criterion);
  const id = direction === "R->H" ? Number(source) : part.phrases.indexOf(source);
  const best = entry?.best[id];
  return best ? { direction, criterion, source: id, rank: best[rank] ? Number(rank) : 0 } : {};
}

function explorer(part) {
  const chosen = { direction: "R->H", criterion: part.criterion, source: null, rank: 0, all: false, wanted: "" };
  Object.assign(chosen, asked(part));
  const root = make("div", { class: "explorer" });
  const controls = make("div", { class: "controls" });
  const sources = make("div");
  const result = make("div", { class: "looked-up" });
  const spoken = make("p", { class: "hint", role: "status", "aria-live": "polite" });
  root.append(controls, sources, spoken, result);

  const entry = () => part.translations.find((each) => each.direction === chosen.direction && each.criterion === chosen.criterion);
  const called = (kind, id) => ({ phrase: () => `“${part.phrases[id]}”`, bag: () => `“${part.bags[id]}”`, message: () => (part.spelled[id] == null ? `message ${id}` : `“${part.spelled[id]}”`), new: () => `new message for “${part.made_for[id]}”` })[kind]();
  const share = () => {
    const source = chosen.direction === "R->H" ? chosen.source : part.phrases[chosen.source];
    remember(part.task, { seed: part.seed, direction: chosen.direction, criterion: chosen.criterion, source, rank: chosen.rank });
  };
  const sourceKind = () => (chosen.direction === "R->H" ? "message" : "phrase");

  function drawControls() {
    const criteria = part.translations.filter((each) => each.direction === chosen.direction).map((each) => [each.criterion, each.criterion]);
    const search = make("input", { type: "search", value: chosen.wanted, oninput: (event) => ((chosen.wanted = event.target.value), drawSources()) });
    controls.replaceChildren(
      dropDown("Direction", Object.entries(WAYS), chosen.direction, (value) => {
        Object.assign(chosen, { direction: value, source: null, rank: 0, wanted: "" });
        if (!entry()) chosen.criterion = part.criterion;
        drawControls();
        drawSources();
        drawResult();
        share();
        controls.querySelector("select").focus(); // the previous one has been redrawn
      }),
      dropDown("Criterion", criteria, chosen.criterion, (value) => {
        Object.assign(chosen, { criterion: value, rank: 0 });
        drawResult();
        share();
      }),
      ...(chosen.direction === "H->R" ? [make("label", {}, "Find a phrase", search)] : []),
    );
  }

  function options() {
    if (chosen.direction === "R->H")
      return part.explored.map((id, i) => {
        const [state] = part.states[i];
        const [name, about] = [part.spelled[id] || String(id), named(part, state)];
        const title = `message ${name}, said about ${about}`;
        return drawn(part, state) ? { value: id, content: [pair(part, part.states[i], true), name], pictured: true, title } : { value: id, content: [make("b", {}, name), about], title };
      });
    const wanted = chosen.wanted.toLowerCase();
    const found = part.phrases.map((phrase, value) => ({ value, content: phrase }));
    return found.filter(({ content }) => content.toLowerCase().includes(wanted));
  }

  function drawSources() {
    const list = options();
    chosen.source ??= list[0]?.value;
    const label = chosen.direction === "R->H" ? "Messages, by the state they were said in" : "Phrases, most frequent first";
    sources.replaceChildren(
      choices(label, list, chosen.source, (value) => {
        Object.assign(chosen, { source: value, rank: 0 });
        drawResult();
        share();
      }),
      ...(list.length ? [] : [make("p", { class: "hint", role: "status" }, `No phrase of the ${part.phrases.length} contains “${chosen.wanted}”.`)]),
    );
  }

  function translations() {
    const { kind, best } = entry();
    const options = best[chosen.source].map(([id, score], rank) => ({
      value: rank,
      content: [make("span", {}, `${rank + 1}. ${called(kind, id)}`), make("span", { class: "score" }, score == null ? "no shared context" : score.toFixed(2))],
    }));
    const list = choices("Best translations (lower is better)", options, chosen.rank, (rank) => {
      chosen.rank = rank;
      drawBeliefs();
      share();
    });
    list.classList.add("ranked");
    return list;
  }

  let cards;
  function drawResult() {
    const kind = sourceKind();
    const answer = make("div", { class: "answer" }, make("h4", {}, called(kind, chosen.source)));
    cards = make("div");
    answer.append(translations());
    result.replaceChildren(answer, cards);
    drawBeliefs();
  }

  function bar(kind, label, value) {
    const inside = make("span", { style: `width: ${value}%` });
    return make("div", { class: `bar ${kind}` }, make("span", {}, label), make("span", {}, inside), make("span", {}, `${value} %`));
  }

  function card(index, source, target) {
    const own = chosen.direction === "R->H" && part.explored[index] === chosen.source;
    const names = chosen.direction === "R->H" ? ["message", "English"] : ["phrase", "message"];
    const label = `${named(part, part.states[index][0])}, not ${others(part, part.states[index])}: ${names[0]} ${source} percent, ${names[1]} ${target} percent`;
    const languages = chosen.direction === "R->H" ? ["neuralese", "english"] : ["english", "neuralese"];
    const bars = make("div", { class: "bars", role: "img", "aria-label": label }, bar(languages[0], names[0], source), bar(languages[1], names[1], target));
    return make("li", { class: own ? "card own" : "card" }, pair(part, part.states[index]), bars, own ? make("div", { class: "tag" }, "said about this") : null);
  }

  function showOthers() {
    chosen.all = !chosen.all;
    drawBeliefs();
    cards.querySelector("button").focus();
  }

  function drawBeliefs() {
    const { kind, best } = entry();
    const [id] = best[chosen.source][chosen.rank];
    const source = part.beliefs[sourceKind()][chosen.source];
    const target = part.beliefs[kind][id];
    const own = chosen.direction === "R->H" ? part.explored.indexOf(chosen.source) : -1;
    const order = [...part.states.keys()].sort((a, b) => (b === own) - (a === own));
    const apart = (other) => source.reduce((sum, value, i) => sum + Math.abs(value - other[i]), 0) / source.length;
    const every = Object.values(part.beliefs[kind]);
    const usual = every.reduce((sum, each) => sum + apart(each), 0) / every.length;
    const text = `${called(sourceKind(), chosen.source)} is translated as ${called(kind, id)} by ${chosen.criterion}. Their beliefs are ${apart(target).toFixed(0)} percentage points apart on average over ${source.length} states; for comparison, the average over all ${every.length} ${MANY[kind]} on this page is ${usual.toFixed(0)}.`;
    spoken.textContent = text;
    const about = `How strongly each makes a listener believe in the left one (${roles(part)[0]}) rather than the one next to it (${roles(part)[1]}):`;
    const list = make("ul", { class: "cards" }, ...order.slice(0, chosen.all ? order.length : SHOWN).map((i) => card(i, source[i], target[i])));
    const more = make("button", { type: "button", onclick: showOthers }, chosen.all ? "Show fewer states" : `Show all ${order.length} states`);
    const heading = kind === "message" && part.said_in[id] ? make("p", { class: "hint" }, `${called(kind, id)} was said about ${named(part, part.said_in[id][0])}, not ${others(part, part.said_in[id])}.`) : null;
    cards.replaceChildren(...[heading, make("p", { class: "hint" }, about), list, order.length > SHOWN ? make("p", {}, more) : null].filter(Boolean));
  }

  drawControls();
  drawSources();
  drawResult();
  return root;
}
