// driving in the report: states as road maps, and games in a player that steps through them

{
const GONE = 256; // the pose of a car that has left the road
const CELL = 10;
const AHEAD = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // north, east, south, west
const HEADINGS = ["north", "east", "south", "west"];

const centre = (cell) => [((cell % 8) + 0.5) * CELL, (Math.floor(cell / 8) + 0.5) * CELL];
const points = (list) => list.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" ");

function goalStar(cell, number, size) {
  const [x, y] = centre(cell);
  const corners = [...Array(10).keys()].map((k) => {
    const [radius, angle] = [(k % 2 ? 0.2 : 0.46) * CELL * size, Math.PI * (k / 5 - 0.5)];
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return draw("polygon", { points: points(corners), style: `fill: var(--card); stroke: var(--car-${number})`, "stroke-width": 0.9 });
}

function car(pose, number) {
  const [x, y] = centre(pose >> 2);
  const [across, down] = AHEAD[pose & 3];
  const [backX, backY, half] = [x - across * 1.3 * CELL, y - down * 1.3 * CELL, 0.3 * CELL];
  const [sideX, sideY] = [-down * half, across * half];
  const body = [
    [x + across * 0.45 * CELL, y + down * 0.45 * CELL],
    [x + sideX, y + sideY],
    [backX + sideX, backY + sideY],
    [backX - sideX, backY - sideY],
    [x - sideX, y - sideY],
  ];
  return draw("polygon", { points: points(body), style: `fill: var(--car-${number}); stroke: var(--card)`, "stroke-width": 0.6 });
}

// a road (eight lines of # and .) with cars as {pose, goal}
function roadMap(road, cars, label) {
  const cells = road.split("\n").flatMap((line, row) => [...line].map((mark, column) => (mark === "#" ? `M${column * CELL} ${row * CELL}h${CELL}v${CELL}h-${CELL}z` : "")));
  const map = draw("svg", { viewBox: `0 0 ${8 * CELL} ${8 * CELL}`, class: "half", role: "img", "aria-label": label, style: "background: var(--grass)" });
  map.append(draw("path", { d: cells.join(""), style: "fill: var(--road); stroke: var(--grass)", "stroke-width": 0.35 }));
  cars.forEach(({ goal }, number) => map.append(goalStar(goal, number, number && goal === cars[0].goal ? 0.6 : 1)));
  cars.forEach(({ pose }, number) => pose !== GONE && map.append(car(pose, number)));
  return map;
}

const place = (cell) => `row ${Math.floor(cell / 8) + 1}, column ${(cell % 8) + 1}`;

const ACTIONS = ["waits", "goes forward", "turns left", "turns right"];
const RELAYED = "relay"; // the pair of games from the same start under several conditions
const PAIRS = { "R/R": "two robots", "R/H": "a robot and a human" };

function stateName(part, [, pose, goal]) {
  return pose === GONE ? "a car that has arrived" : `a car at ${place(pose >> 2)}, heading ${HEADINGS[pose & 3]}, goal at ${place(goal)}`;
}

const button = (text, onclick) => make("button", { type: "button", onclick }, text);
const does = ({ pose, action, said }) => (pose === GONE ? "has arrived" : ACTIONS[action] + (said ? `: “${said}”` : ""));

// controls that step through turns: buttons and slider call go(turn), and length() is their number
function stepper(length, show) {
  let turn = 0;
  let timer = null;
  const slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Turn", oninput: () => go(Number(slider.value)) });
  const play = button("Play", () => (timer ? stop() : start()));

  function start() {
    if (turn === length() - 1) go(0);
    timer = setInterval(() => (turn < length() - 1 ? go(turn + 1, true) : stop()), 1000);
    play.textContent = "Pause";
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }

  function go(wanted, playing = false) {
    if (!playing && timer) stop();
    slider.max = length() - 1;
    turn = Math.max(0, Math.min(length() - 1, wanted));
    slider.value = turn;
    show(turn);
  }

  const steps = make(
    "div",
    { class: "steps" },
    button("« First", () => go(0)),
    button("‹ Back", () => go(turn - 1)),
    play,
    button("Next ›", () => go(turn + 1)),
    button("Last »", () => go(length() - 1)),
  );
  return { slider, steps, go };
}

function drivingPlayer(part) {
  const watched = part.games.filter(({ pair }) => pair !== RELAYED);
  let game = watched[0];
  const map = make("div");
  const now = make("div", { class: "now", "aria-live": "polite" });
  const turns = make("div", { class: "scroll turns", tabindex: 0, role: "region", "aria-label": "All turns" });
  const seat = (number) => `${number ? "blue" : "red"} (${game.who[number]})`;
  const { slider, steps, go } = stepper(() => game.turns.length, show);

  function show(turn) {
    const { cars, reward, outcome } = game.turns[turn];
    const label = cars.map((each, number) => `${seat(number)} is ${named(part, [game.map, each.pose, each.goal])}`).join("; ");
    map.replaceChildren(roadMap(part.roads[game.map], cars, label));
    now.replaceChildren(
      make("p", {}, make("strong", {}, `Turn ${turn + 1} of ${game.turns.length}`), ` · reward so far ${reward.toFixed(2)}${outcome ? ` · ${outcome}` : ""}`),
      ...cars.map((each, number) => make("p", { class: `car-${number}` }, `${seat(number)} ${does(each)}`)),
    );
    turns.querySelectorAll("tbody tr").forEach((row, i) => {
      row.classList.toggle("current", i === turn);
      if (i === turn) turns.scrollTop = Math.max(0, row.offsetTop - turns.clientHeight / 2);
    });
  }

  function choose(number) {
    game = watched[number];
    const head = make("tr", {}, make("th", { scope: "col" }, "turn"), ...[0, 1].map((each) => make("th", { scope: "col" }, seat(each))));
    const rows = game.turns.map(({ cars }, i) =>
      make("tr", { onclick: () => go(i) }, make("th", { scope: "row" }, String(i + 1)), ...cars.map((each, seated) => make("td", { class: `car-${seated}` }, does(each)))),
    );
    turns.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    go(0);
  }

  const games = watched.map(({ pair: kind, turns: each }, i) => [String(i), `${i + 1}: ${PAIRS[kind] ?? kind}, ${each.length} turns, ${each.at(-1).outcome || "not finished"}`]);
  const about = `A robot's messages are translated into English by ${part.criterion}; a human's are shown as the phrase translated for the robot. Stars are goals; the pointed end is the front.`;
  const root = make("div", {}, make("p", {}, about), repeated(part), make("div", { class: "controls" }, dropDown("Game", games, "0", (value) => choose(Number(value)))), make("div", { class: "player" }, make("div", {}, map, slider, steps), make("div", {}, now, turns)));
  choose(0);
  return root;
}

const HEARD = { silence: "nobody hears anything", neuralese: "neuralese itself, glossed in English" };

// the same start under several conditions, side by side, stepping together; nothing if there are no such games
function sideBySide(part) {
  const every = part.games.filter(({ pair }) => pair === RELAYED);
  if (!every.length) return null;
  const starts = [...new Set(every.map(({ start }) => start))];
  let shown = [];
  const boards = make("div", { class: "side-by-side" });
  const { slider, steps, go } = stepper(() => Math.max(...shown.map(({ turns }) => turns.length)), show);

  function show(turn) {
    boards.replaceChildren(
      ...shown.map((game) => {
        const last = Math.min(turn, game.turns.length - 1);
        const { cars, reward, outcome } = game.turns[last];
        const over = turn > last || outcome;
        const ends = over ? outcome || "not finished" : `turn ${last + 1}`;
        const label = cars.map((each, number) => `${number ? "blue" : "red"} is ${named(part, [game.map, each.pose, each.goal])}`).join("; ");
        return make(
          "figure",
          { class: over ? "over" : null },
          make("figcaption", {}, make("strong", {}, game.criterion), ` (${HEARD[game.criterion] ?? "into English and back"})`),
          roadMap(part.roads[game.map], cars, `${game.criterion}: ${label}`),
          make("p", {}, `${ends}, reward ${reward.toFixed(2)}`),
          ...cars.map((each, number) => make("p", { class: `car-${number}` }, `${number ? "blue" : "red"} ${does(each)}`)),
        );
      }),
    );
  }

  function choose(start) {
    shown = every.filter((game) => game.start === start);
    go(0);
  }

  const options = starts.map((start) => {
    const of = every.filter((game) => game.start === start);
    return [String(start), `start ${start + 1}: ${of.map(({ criterion, turns }) => `${criterion} ${turns.at(-1).reward.toFixed(2)}`).join(", ")}`];
  });
  const about = "Two robots from the same start, with the same noise: only what they hear from each other differs. These are the first fresh games in which that made a difference.";
  const root = make("div", { class: "watched-together" }, make("p", {}, about), make("div", { class: "controls" }, dropDown("Start", options, String(starts[0]), (value) => choose(Number(value)))), boards, slider, steps);
  choose(starts[0]);
  return root;
}

function drivingGames(part) {
  const together = sideBySide(part);
  return make("div", {}, drivingPlayer(part), together && make("h4", {}, "The same start, side by side"), together);
}

views.driving = {
  named: stateName,
  picture: (part, [map, pose, goal], label) => roadMap(part.roads[map], [{ pose, goal }], label),
  roles: ["the speaker's state", "a distractor"],
  games: drivingGames,
  sideBySide,
};
}
