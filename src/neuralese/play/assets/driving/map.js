// Draws a road with cars, stars and fog into an SVG of eight by eight cells.

export const DID = ["waits", "goes forward", "turns left", "turns right"];
export const ENDINGS = { arrived: "Both cars have arrived", crashed: "The cars crashed", "out of time": "Time is up" };
const SVG = "http://www.w3.org/2000/svg";
const AHEAD = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // north, east, south, west as (x, y)
const ARROWS = ["↑", "→", "↓", "←"];

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const centre = ({ row, col }) => [col + 0.5, row + 0.5];

function car(pose, who) {
  const [x, y] = centre(pose);
  const [across, down] = AHEAD[pose.direction];
  const at = (ahead, aside) => `${x + ahead * across - aside * down},${y + ahead * down + aside * across}`;
  const points = [at(0.45, 0), at(0.1, 0.3), at(-1.3, 0.3), at(-1.3, -0.3), at(0.1, -0.3)];
  return shape("polygon", { class: `car ${who}${pose.gone ? " gone" : ""}`, points: points.join(" ") });
}

function star([row, col], who, size = 1) {
  const points = Array.from({ length: 10 }, (_, k) => {
    const radius = (k % 2 ? 0.18 : 0.42) * size;
    const angle = Math.PI * (k / 5 - 0.5);
    return `${col + 0.5 + radius * Math.cos(angle)},${row + 0.5 + radius * Math.sin(angle)}`;
  });
  return shape("polygon", { class: `star ${who}`, points: points.join(" ") });
}

function trail(poses, who) {
  return shape("polyline", { class: `trail ${who}`, points: poses.map((pose) => centre(pose).join(",")).join(" ") });
}

// A small button in the cell a move leads to.
function hint({ action, row, col, direction, on_road: onRoad }) {
  const [x, y] = centre({ row, col });
  return shape(
    "g",
    { class: onRoad ? "hint" : "hint off", "data-move": action },
    shape("circle", { cx: x, cy: y, r: 0.3 }),
    Object.assign(shape("text", { x, y }), { textContent: ARROWS[direction] }),
  );
}

function fog(pose) {
  const [cx, cy] = centre(pose);
  const stops = [["0.2", "0"], ["0.55", "0.45"], ["1", "0.7"]].map(([offset, opacity]) =>
    shape("stop", { offset, "stop-opacity": opacity }));
  const gradient = shape("radialGradient", { id: "mist", class: "fog", gradientUnits: "userSpaceOnUse", cx, cy, r: 5.5 }, ...stops);
  return [shape("defs", {}, gradient), shape("rect", { width: 8, height: 8, fill: "url(#mist)", "pointer-events": "none" })];
}

// What to draw of a finished game after some steps, with both cars in the order of `seats`.
export function moment({ road, states }, at, seats) {
  const [mine, theirs] = seats.map((seat) => ({ ...states[at][seat], gone: at > 0 && states[at - 1][seat].arrived }));
  return { road, mine, theirs, trails: seats.map((seat) => states.slice(0, at + 1).map((cars) => cars[seat])) };
}

export function draw(svg, { road, mine, theirs, hints = [], trails = [] }) {
  const cells = road.flatMap((line, row) => [...line].map((cell, col) => [cell, row, col]));
  const asphalt = cells.filter(([cell]) => cell === "#").map(([, row, col]) =>
    shape("rect", { class: "asphalt", x: col, y: row, width: 1, height: 1 }));
  const shared = theirs && String(theirs.goal) === String(mine.goal); // then one star is inside the other
  svg.setAttribute("aria-label", theirs ? "The road with both cars" : "The road with your car and your star");
  svg.replaceChildren(
    shape("rect", { class: "grass", width: 8, height: 8 }),
    ...asphalt,
    ...(theirs ? [] : fog(mine)),
    ...trails.map((poses, number) => trail(poses, number ? "theirs" : "mine")),
    ...(theirs ? [car(theirs, "theirs")] : []),
    car(mine, "mine"),
    star(mine.goal, "mine"),
    ...(theirs ? [star(theirs.goal, "theirs", shared ? 0.6 : 1)] : []),
    ...hints.map(hint),
  );
}
