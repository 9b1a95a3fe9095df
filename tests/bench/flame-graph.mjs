/**
 * A function on the stack, with the number of samples in which it, or what it called, was on the CPU.
 *
 * @typedef {{ name: string, place: string, own: number, all: number, children: Map<string, Frame> }} Frame
 */

const [WIDTH, LINE, HEAD, PAD] = [1200, 17, 46, 10];
/** The least part of the whole that is drawn. */
const SMALLEST = 0.002;
const CHARACTER_WIDTH = 6.1;

/** By where a function is from: the site and what is compiled in, packages, Node's own scripts, and all that is no script. */
const COLOURS = {
  site: "#e9b44c",
  package: "#d98b5f",
  node: "#8fae8b",
  engine: "#a9a29a",
};

/**
 * Draws samples of a process as a flame graph: what calls is below what it calls, and as wide as its part of the CPU time.
 *
 * @param {import("./perf.mjs").Stack[]} stacks
 * @param {{ title: string }} options
 * @returns {string} an SVG
 */
export function drawFlameGraph(stacks, { title }) {
  const root = mergeStacks(stacks);
  const depth = depthOf(root, root.all * SMALLEST);
  const height = HEAD + depth * LINE + PAD;
  const scale = (WIDTH - 2 * PAD) / Math.max(root.all, 1e-9);
  /** @type {string[]} */
  const drawn = [];
  const draw = (
    /** @type {Frame} */ frame,
    /** @type {number} */ x,
    /** @type {number} */ level,
  ) => {
    const width = frame.all * scale;
    const y = height - PAD - (level + 1) * LINE;
    const part = ((frame.all / root.all) * 100).toFixed(1);
    const room = Math.floor((width - 4) / CHARACTER_WIDTH);
    const label = room >= 3 ? clip(frame.name, room) : "";
    drawn.push(
      `<g><title>${escapeXml(`${frame.name} ${frame.place}: ${part} %`)}</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width - 0.5, 0.1).toFixed(1)}" height="${LINE - 1}" fill="${colourOf(frame)}"/>` +
        (label ? `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escapeXml(label)}</text>` : "") +
        "</g>",
    );
    let at = x;
    const children = [...frame.children.values()].sort((a, b) => b.all - a.all);
    for (const child of children) {
      if (child.all >= root.all * SMALLEST) draw(child, at, level + 1);
      at += child.all * scale;
    }
  };
  draw(root, PAD, 0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10" fill="#211d18">
<rect width="${WIDTH}" height="${height}" fill="#fdf9f1"/>
<text x="${PAD}" y="20" font-family="sans-serif" font-size="14" font-weight="bold">${escapeXml(title)}</text>
${legend()}
${drawn.join("\n")}
</svg>
`;
}

/**
 * The functions in which most of the CPU time was spent itself, by their part of it.
 *
 * @param {import("./perf.mjs").Stack[]} stacks
 * @returns {{ name: string, place: string, part: number }[]}
 */
export function costliest(stacks) {
  const root = mergeStacks(stacks);
  /** @type {Map<string, { name: string, place: string, part: number }>} */
  const found = new Map();
  const add = (/** @type {Frame} */ frame) => {
    const key = `${frame.name} ${frame.place}`;
    const known = found.get(key) ?? { name: frame.name, place: frame.place, part: 0 };
    known.part += frame.own / root.all;
    found.set(key, known);
    for (const child of frame.children.values()) add(child);
  };
  add(root);
  return [...found.values()].sort((a, b) => b.part - a.part);
}

/**
 * @param {import("./perf.mjs").Stack[]} stacks
 * @returns {Frame} the whole, with the outermost functions as children
 */
function mergeStacks(stacks) {
  const root = frameOf("all", "");
  for (const stack of stacks) {
    root.all += 1;
    let frame = root;
    for (const { name, place } of stack) {
      const key = `${name} ${place}`;
      const next = frame.children.get(key) ?? frameOf(name, place);
      frame.children.set(key, next);
      next.all += 1;
      frame = next;
    }
    frame.own += 1;
  }
  return root;
}

/** @param {string} name @param {string} place @returns {Frame} */
const frameOf = (name, place) => ({ name, place, own: 0, all: 0, children: new Map() });

/** @param {Frame} frame */
function colourOf({ place }) {
  if (place.startsWith("build/")) return COLOURS.site;
  if (place.startsWith("node:")) return COLOURS.node;
  return place ? COLOURS.package : COLOURS.engine;
}

/** @param {Frame} frame @param {number} least @returns {number} */
function depthOf(frame, least) {
  const children = [...frame.children.values()].filter(({ all }) => all >= least);
  return 1 + Math.max(0, ...children.map((child) => depthOf(child, least)));
}

function legend() {
  const names = {
    site: "the site",
    package: "packages",
    node: "Node",
    engine: "V8, C++ and the kernel",
  };
  return Object.entries(names)
    .map(([key, name], index) => {
      const x = PAD + index * 110;
      const colour = COLOURS[/** @type {keyof typeof COLOURS} */ (key)];
      return `<rect x="${x}" y="28" width="10" height="10" fill="${colour}"/><text x="${x + 15}" y="37">${name}</text>`;
    })
    .join("");
}

/** @param {string} text @param {number} room */
const clip = (text, room) => (text.length <= room ? text : `${text.slice(0, room - 1)}…`);

/** @param {string} text */
const escapeXml = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
