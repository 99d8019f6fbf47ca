// states as pictures: two swatches, two birds, or two road maps; the true one first

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

// what a half of a state is called
function named(part, half) {
  if (!part.roads) return part.items[half].name;
  const [, pose, goal] = half;
  return pose === GONE ? "a car that has arrived" : `a car at ${place(pose >> 2)}, heading ${HEADINGS[pose & 3]}, goal at ${place(goal)}`;
}

function picture(part, half) {
  const label = named(part, half);
  if (part.roads) return roadMap(part.roads[half[0]], [{ pose: half[1], goal: half[2] }], label);
  const { color: shade, image } = part.items[half];
  if (shade) return make("div", { class: "half", role: "img", "aria-label": `${label} ${shade}`, title: label, style: `background: ${shade}` });
  if (image) return make("img", { class: "half", src: image, alt: label, title: label });
  return make("div", { class: "half named" }, label);
}

function pair(part, state, small = false) {
  return make("div", { class: small ? "pair small" : "pair" }, ...state.map((half) => make("figure", {}, picture(part, half))));
}

const roles = (part) => (part.roads ? ["the speaker's state", "a distractor"] : ["the target", "the other"]);
