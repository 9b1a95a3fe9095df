/**
 * Composes the sound of the sample edition's two audio walks and writes them as MP3 files:
 *
 *     node tests/tools/compose-walks.mjs app/features/library/sample-edition/extras
 *
 * Nothing in them is recorded. Footsteps, leaves, rain and bell are synthesised from a seed, so that the same script
 * writes the same files each time, and they are the edition's own. The guides beside the sounds (`the-slow-mile.md`,
 * `the-evening-round.md`) name the times of the bells and of the stands: change them here and there together.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ID3Writer } from "browser-id3-writer";
import { createMp3Encoder } from "wasm-media-encoders";

const SAMPLE_RATE = 24_000;
/** Kilobits a second: with one channel of soft noise, enough to walk by. */
const BIT_RATE = 48;
/** How many samples share one reading of the slow curves (2.7 ms). */
const CONTROL_PERIOD = 64;
/** The sound's loudness as a whole, in LUFS. */
const LOUDNESS = -21;
/** Where the limiter begins to bend peaks, and what it never passes (-3.7 dBFS; decoding MP3 adds a little). */
const LIMITER = { knee: 0.45, ceiling: 0.65 };
/** How long the last bell rings on, in seconds, and how the ground beneath it comes and goes. */
const TAIL = 9;
const FADE_IN = 5;

/**
 * @typedef {() => number} Random a number from 0 up to 1
 * @typedef {(time: number) => number} Curve a value by the time in seconds
 * @typedef {[time: number, value: number]} Point of a curve
 * @typedef {{ time: number, side: "left" | "right", weight: number }} Step
 * @typedef {{ at: number, frequency: number, decay: number, gain: number, glide?: number }} Grain
 * @typedef {[number, number, number]} Coefficients of a two-pole filter
 *
 * @typedef {object} Walk
 * @property {string} file
 * @property {string} title
 * @property {number[]} bells the times of the bells; the sound ends `TAIL` seconds after the last
 * @property {number} pitch the bell's strike note, in hertz
 * @property {Point[]} tempo steps a minute, as points of a curve
 * @property {{ from: number, to: number }[]} stands when the walker stands still
 * @property {number} lastStep when the walker stops for good
 * @property {(track: Float32Array, random: Random, step: Step) => void} addStep
 * @property {(track: Float32Array, stream: (name: string) => Random) => void} addWeather
 */

/** @type {Walk[]} */
const WALKS = [
  {
    file: "the-slow-mile.mp3",
    title: "The Slow Mile",
    bells: [0, 90, 180, 270, 360],
    pitch: 784,
    tempo: [
      [0, 96],
      [90, 95],
      [180, 90],
      [270, 87],
      [360, 84],
    ],
    stands: [{ from: 181.5, to: 206 }],
    lastStep: 360.5,
    addStep: addGravelStep,
    addWeather: addLeafyWeather,
  },
  {
    file: "the-evening-round.mp3",
    title: "The Evening Round",
    bells: [0, 100, 200, 300],
    pitch: 784 * 2 ** (-4 / 12),
    tempo: [
      [0, 82],
      [100, 80],
      [200, 76],
      [300, 72],
    ],
    stands: [{ from: 201.5, to: 225 }],
    lastStep: 300.5,
    addStep: addLaneStep,
    addWeather: addRainyWeather,
  },
];

/* Chance and slow change */

/**
 * A stream of random numbers (mulberry32) for a name (hashed with FNV-1a). Each layer draws from its own, and so can
 * be changed without changing the others.
 *
 * @param {string} name
 * @returns {Random}
 */
function createRandom(name) {
  let state = 0x811c9dc5;
  for (const character of name) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A number between two bounds, each octave as likely as the next.
 *
 * @type {(random: Random, low: number, high: number) => number}
 */
const between = (random, low, high) => low * (high / low) ** random();

/**
 * A number around zero, seldom beyond one: near enough to a normal distribution for footsteps.
 *
 * @type {(random: Random) => number}
 */
const around = (random) => random() + random() + random() - 1.5;

/**
 * A smooth curve through points in order of time, level before the first and after the last.
 *
 * @param {Point[]} points
 * @returns {Curve}
 */
function curveThrough(points) {
  let at = 0;
  const pointAt = (/** @type {number} */ index) => {
    const point = points[index];
    if (!point) throw new RangeError(`The curve has no point ${index}`);
    return point;
  };
  return (time) => {
    if (time < pointAt(at)[0]) at = 0;
    while (at < points.length - 1 && pointAt(at + 1)[0] <= time) at += 1;
    const [start, from] = pointAt(at);
    if (at === points.length - 1 || time <= start) return from;
    const [end, to] = pointAt(at + 1);
    const way = (time - start) / (end - start);
    return from + (to - from) * (0.5 - 0.5 * Math.cos(Math.PI * way));
  };
}

/**
 * A curve that wanders between 0 and 1, with a turn about every `period` seconds.
 *
 * @param {Random} random
 * @param {number} duration
 * @param {number} period
 */
function wander(random, duration, period) {
  /** @type {Point[]} */
  const points = [];
  for (let time = 0; time < duration + period; time += period * (0.6 + 0.8 * random())) {
    points.push([time, random()]);
  }
  return curveThrough(points);
}

/**
 * Gusts: long ones, with shorter ones upon them. From 0 to 1.
 *
 * @param {Random} random
 * @param {number} duration
 * @returns {Curve}
 */
function createGusts(random, duration) {
  const long = wander(random, duration, 11);
  const middling = wander(random, duration, 5);
  const short = wander(random, duration, 1.7);
  return (time) => 0.62 * long(time) + 0.28 * middling(time) + 0.1 * short(time);
}

/* Building blocks of sound */

/**
 * A sample of a track. Outside the track there is silence.
 *
 * @param {Float32Array | Float64Array} track
 * @param {number} index
 */
const sampleAt = (track, index) => track[index] ?? 0;

/**
 * @param {Float32Array} track
 * @param {number} index
 * @param {number} value
 */
function addSample(track, index, value) {
  track[index] = sampleAt(track, index) + value;
}

/** A two-pole filter whose frequency may change while it runs (state variable, trapezoidal integration). */
class SweptFilter {
  band = 0;
  low = 0;
  #first = 0;
  #second = 0;
  #damping;
  #g = 0;

  /**
   * @param {number} frequency
   * @param {number} [quality]
   */
  constructor(frequency, quality = 0.7) {
    this.#damping = 1 / quality;
    this.tune(frequency);
  }

  /** @param {number} frequency */
  tune(frequency) {
    this.#g = Math.tan((Math.PI * frequency) / SAMPLE_RATE);
  }

  /**
   * Takes in a sample; afterwards `band` and `low` are the filter's outputs.
   *
   * @param {number} input
   */
  process(input) {
    const g = this.#g;
    const high =
      (input - (this.#damping + g) * this.#first - this.#second) / (1 + g * (this.#damping + g));
    const band = g * high + this.#first;
    const low = g * band + this.#second;
    this.#first = g * high + band;
    this.#second = g * band + low;
    this.band = band * this.#damping;
    this.low = low;
  }
}

/**
 * Adds noise through a filter for the track's whole length. The noise is softened first, for white noise hisses.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {{ frequency: Curve, gain: Curve, quality?: number, output?: "band" | "low" }} options
 */
function addNoise(track, random, { frequency, gain, quality, output = "band" }) {
  const filter = new SweptFilter(frequency(0), quality);
  let target = gain(0);
  let level = target;
  let noise = 0;
  for (let index = 0; index < track.length; index += 1) {
    if (index % CONTROL_PERIOD === 0) {
      const time = index / SAMPLE_RATE;
      filter.tune(frequency(time));
      target = gain(time);
    }
    level += (target - level) * 0.005;
    noise += (2 * random() - 1 - noise) * 0.4;
    filter.process(noise);
    addSample(track, index, level * filter[output]);
  }
}

/**
 * Adds a short swell of noise, such as a sole pressed into wet ground.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {{ from: number, length: number, frequency: number, gain: number }} options
 */
function addHush(track, random, { from, length, frequency, gain }) {
  const filter = new SweptFilter(frequency, 0.8);
  const start = Math.round(from * SAMPLE_RATE);
  const count = Math.round(length * SAMPLE_RATE);
  for (let index = 0; index < count && start + index < track.length; index += 1) {
    filter.process(2 * random() - 1);
    const way = index / count;
    // Rises quickly and falls slowly, from nothing to nothing.
    const swell = Math.sin(Math.PI * Math.sqrt(way)) ** 2;
    addSample(track, start + index, gain * filter.band * swell);
  }
}

/**
 * Adds a damped sine, its edge rounded: one small stone or one drop. `glide` is by how much its pitch rises (0.1: a
 * tenth).
 *
 * @param {Float32Array} track
 * @param {Grain} grain
 */
function addGrain(track, { at, frequency, decay, gain, glide = 0 }) {
  const start = Math.round(at * SAMPLE_RATE);
  const count = Math.min(Math.round(decay * 7 * SAMPLE_RATE), track.length - start);
  const fall = Math.exp(-1 / (decay * SAMPLE_RATE));
  const turn = (2 * Math.PI * frequency) / SAMPLE_RATE;
  let level = gain;
  let phase = 0;
  for (let index = 0; index < count; index += 1) {
    addSample(track, start + index, level * Math.min(1, index / 10) * Math.sin(phase));
    phase += turn * (1 + (glide * index) / count);
    level *= fall;
  }
}

/**
 * Adds the weight of a foot: a very low note that falls.
 *
 * @param {Float32Array} track
 * @param {{ at: number, frequency: number, gain: number }} options
 */
function addThud(track, { at, frequency, gain }) {
  const start = Math.round(at * SAMPLE_RATE);
  const count = Math.min(Math.round(0.16 * SAMPLE_RATE), track.length - start);
  const rise = 0.014;
  let phase = 0;
  for (let index = 0; index < count; index += 1) {
    const time = index / SAMPLE_RATE;
    const level = gain * (time / rise) * Math.exp(1 - time / rise);
    addSample(track, start + index, level * Math.sin(phase));
    phase += (2 * Math.PI * frequency * (1 + 0.5 * Math.exp(-time / 0.03))) / SAMPLE_RATE;
  }
}

/**
 * Adds grains in a cluster: stones giving way under a sole. Higher `lean` puts more of them at its beginning.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {{
 *   from: number, length: number, count: number, lean: number, gain: number, low: number, high: number
 * }} options
 */
function addCluster(track, random, { from, length, count, lean, gain, low, high }) {
  for (let grain = 0; grain < count; grain += 1) {
    const frequency = between(random, low, high);
    addGrain(track, {
      at: from + length * random() ** lean,
      frequency,
      decay: between(random, 0.8, 3) / frequency,
      gain: (gain * -Math.log(1 - random())) / Math.sqrt(count),
    });
  }
}

/**
 * Adds grains now and then, `rate` of them a second on the average, each as `grainAt` describes it.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {{ rate: Curve, grainAt: (time: number) => Omit<Grain, "at"> }} options
 */
function addShower(track, random, { rate, grainAt }) {
  const period = CONTROL_PERIOD / SAMPLE_RATE;
  for (let time = 0; time < track.length / SAMPLE_RATE; time += period) {
    // More than one in such a short time is rare enough to leave out.
    if (random() < rate(time) * period) {
      addGrain(track, { at: time + random() * period, ...grainAt(time) });
    }
  }
}

/* Footsteps */

/**
 * The steps of a walk, in order: as regular as a person is, who never is quite, with one foot a little behind its time.
 *
 * @param {Walk} walk
 * @param {Random} random
 * @returns {Generator<Step>}
 */
function* stepsOf(walk, random) {
  const tempo = curveThrough(walk.tempo);
  const restlessness = wander(random, walk.lastStep, 9);
  /** @type {Step["side"]} */
  let side = "left";
  for (let time = 3; time < walk.lastStep; ) {
    const stand = walk.stands.find(({ from, to }) => time > from && time < to);
    if (stand) time = stand.to;
    const lag = side === "right" ? 0.009 : 0;
    const weight = 0.85 + 0.25 * restlessness(time) + 0.12 * around(random);
    yield { time: time + lag + 0.007 * around(random), side, weight };
    time += (60 / tempo(time)) * (0.985 + 0.03 * restlessness(time));
    side = side === "left" ? "right" : "left";
  }
}

/**
 * A step on gravel: the heel, the roll of the sole, and a few stones that settle late.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {Step} step
 */
function addGravelStep(track, random, { time, side, weight }) {
  const right = side === "right";
  const tone = (right ? 1.1 : 0.96) * (1 + 0.06 * around(random));
  const roll = time + 0.15 + 0.015 * around(random);
  addThud(track, { at: time, frequency: right ? 66 : 61, gain: 0.06 * weight });
  addHush(track, random, {
    from: time,
    length: 0.15,
    frequency: 900 * tone,
    gain: 0.11 * weight,
  });
  addCluster(track, random, {
    from: time + 0.004,
    length: 0.1,
    count: 60,
    lean: 1.5,
    gain: 0.09 * weight,
    low: 650 * tone,
    high: 3600 * tone,
  });
  addHush(track, random, {
    from: roll,
    length: 0.2,
    frequency: 1300 * tone,
    gain: (right ? 0.095 : 0.08) * weight,
  });
  addCluster(track, random, {
    from: roll,
    length: 0.17,
    count: Math.round(60 + 16 * around(random)),
    lean: 1.1,
    gain: (right ? 0.085 : 0.072) * weight,
    low: 800 * tone,
    high: 4400 * tone,
  });
  addCluster(track, random, {
    from: roll + 0.12,
    length: 0.25,
    count: Math.round(4 + 3 * random()),
    lean: 1,
    gain: 0.03 * weight,
    low: 1400,
    high: 4600,
  });
}

/**
 * A step on a damp lane: more foot than stone, and a little water as the sole comes away.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {Step} step
 */
function addLaneStep(track, random, { time, side, weight }) {
  const right = side === "right";
  const tone = (right ? 1.08 : 0.95) * (1 + 0.07 * around(random));
  const lift = time + 0.21 + 0.02 * around(random);
  addThud(track, { at: time, frequency: right ? 63 : 58, gain: 0.075 * weight });
  addHush(track, random, {
    from: time,
    length: 0.16,
    frequency: 380 * tone,
    gain: 0.14 * weight,
  });
  addHush(track, random, {
    from: time + 0.01,
    length: 0.12,
    frequency: 1150 * tone,
    gain: 0.09 * weight,
  });
  addCluster(track, random, {
    from: time + 0.01,
    length: 0.1,
    count: 14,
    lean: 1.3,
    gain: 0.05 * weight,
    low: 900,
    high: 3000,
  });
  addHush(track, random, {
    from: lift,
    length: 0.19,
    frequency: 760 * tone,
    gain: (right ? 0.13 : 0.11) * weight,
  });
  addCluster(track, random, {
    from: lift + 0.03,
    length: 0.13,
    count: Math.round(9 + 5 * around(random)),
    lean: 1,
    gain: 0.035 * weight,
    low: 700,
    high: 2200,
  });
}

/* Weather */

/**
 * Wind through leaves: its body low down, and three branches above it that flutter each for itself.
 *
 * @param {Float32Array} track
 * @param {(name: string) => Random} stream
 */
function addLeafyWeather(track, stream) {
  const duration = track.length / SAMPLE_RATE;
  const gusts = createGusts(stream("gusts"), duration);
  addNoise(track, stream("wind"), {
    frequency: (time) => 170 + 260 * gusts(time),
    gain: (time) => 0.045 + 0.13 * gusts(time) ** 1.6,
    output: "low",
  });
  /** @type {[branch: string, pitch: number, share: number][]} */
  const branches = [
    ["oak", 1500, 0.075],
    ["ash", 2600, 0.06],
    ["birch", 4200, 0.035],
  ];
  for (const [branch, pitch, share] of branches) {
    const flutter = wander(stream(`${branch} flutter`), duration, 0.17);
    const sway = wander(stream(`${branch} sway`), duration, 3.5);
    addNoise(track, stream(branch), {
      frequency: (time) => pitch * (0.85 + 0.3 * gusts(time)),
      gain: (time) =>
        share *
        (0.1 + 1.1 * gusts(time) ** 2 * (0.4 + 0.6 * sway(time)) * (0.65 + 0.35 * flutter(time))),
    });
  }
  const leaf = stream("single leaves");
  addShower(track, leaf, {
    rate: (time) => 45 * gusts(time) ** 2,
    grainAt: () => ({
      frequency: between(leaf, 1800, 5200),
      decay: between(leaf, 0.0006, 0.002),
      gain: 0.02 * leaf() ** 3,
    }),
  });
}

/**
 * Light rain that comes and goes, drops from the eaves after it, and far off an evening with no owl in it.
 *
 * @param {Float32Array} track
 * @param {(name: string) => Random} stream
 */
function addRainyWeather(track, stream) {
  const duration = track.length / SAMPLE_RATE;
  const gusts = createGusts(stream("gusts"), duration);
  const patter = wander(stream("patter"), duration, 2.2);
  const shower = curveThrough([
    [25, 0.04],
    [70, 0.6],
    [112, 1],
    [150, 0.35],
    [185, 0.04],
    [228, 0.02],
    [262, 0.6],
    [285, 0.4],
    [309, 0.25],
  ]);
  /** @type {Curve} */
  const rain = (time) => shower(time) * (0.75 + 0.25 * patter(time));
  const wetness = curveThrough([
    [30, 0.25],
    [120, 1],
    [190, 0.8],
    [230, 0.45],
    [300, 0.8],
  ]);
  addNoise(track, stream("distance"), {
    frequency: (time) => 130 + 110 * gusts(time),
    gain: (time) => 0.06 + 0.08 * gusts(time),
    output: "low",
  });
  addNoise(track, stream("hedges"), {
    frequency: (time) => 700 + 500 * gusts(time),
    gain: (time) => 0.006 + 0.022 * gusts(time) ** 2,
  });
  addNoise(track, stream("rain on grass"), {
    frequency: (time) => 2300 + 500 * patter(time),
    gain: (time) => 0.062 * rain(time),
    quality: 0.5,
  });
  const drop = stream("drops");
  addShower(track, drop, {
    rate: (time) => 150 * rain(time),
    grainAt: () => ({
      frequency: between(drop, 1500, 5500),
      decay: between(drop, 0.0006, 0.0022),
      gain: 0.003 + 0.045 * drop() ** 4,
    }),
  });
  const drip = stream("drips");
  addShower(track, drip, {
    rate: (time) => 2.4 * wetness(time),
    grainAt: () => ({
      frequency: between(drip, 650, 1700),
      decay: between(drip, 0.006, 0.014),
      gain: 0.006 + 0.03 * drip() ** 3,
      glide: 0.25,
    }),
  });
}

/* The bell */

/**
 * The bell's partials: the pitch as a ratio to the strike note, the gain, and the decay in seconds.
 *
 * @type {[ratio: number, share: number, decay: number][]}
 */
const PARTIALS = [
  [0.5, 0.3, 3.6],
  [1, 1, 2.6],
  [1.183, 0.34, 1.9],
  [1.506, 0.2, 1.4],
  [2, 0.42, 1.2],
  [2.514, 0.14, 0.8],
  [3.011, 0.16, 0.55],
  [4.166, 0.07, 0.3],
  [5.433, 0.04, 0.18],
];

/**
 * Adds a stroke of the small bell. Each partial is two, a little apart, so that it beats slowly as bells do.
 *
 * @param {Float32Array} track
 * @param {Random} random
 * @param {{ at: number, pitch: number, gain: number }} options
 */
function addBell(track, random, { at, pitch, gain }) {
  const start = Math.round(at * SAMPLE_RATE);
  for (const [ratio, share, decay] of PARTIALS) {
    const apart = 0.25 + 0.5 * random();
    const first = (2 * Math.PI * pitch * ratio) / SAMPLE_RATE;
    const second = (2 * Math.PI * (pitch * ratio + apart)) / SAMPLE_RATE;
    for (let index = 0; start + index < track.length; index += 1) {
      const time = index / SAMPLE_RATE;
      const level = gain * share * Math.exp(-time / decay) * (1 - Math.exp(-time / 0.003));
      const beat = 0.7 * Math.sin(first * index) + 0.3 * Math.sin(second * index);
      addSample(track, start + index, level * beat);
    }
  }
}

/* From layers to a file */

/**
 * Brings the track in at the beginning and lets it go between `fadeFrom` and its end.
 *
 * @param {Float32Array} track
 * @param {number} fadeFrom
 */
function fade(track, fadeFrom) {
  const end = track.length / SAMPLE_RATE;
  const level = curveThrough([
    [0, 0],
    [FADE_IN, 1],
    [fadeFrom, 1],
    [end - 0.5, 0],
  ]);
  for (let index = 0; index < track.length; index += 1) {
    track[index] = sampleAt(track, index) * level(index / SAMPLE_RATE);
  }
}

/**
 * The two filters of ITU-R BS.1770 by which loudness is weighted, for any sample rate.
 *
 * @returns {{ zeros: Coefficients, poles: Coefficients }[]}
 */
function loudnessFilters() {
  const shelf = {
    k: Math.tan((Math.PI * 1681.974) / SAMPLE_RATE),
    q: 0.70718,
    gain: 10 ** (4 / 20),
  };
  const edge = shelf.gain ** 0.49967;
  const pass = { k: Math.tan((Math.PI * 38.1355) / SAMPLE_RATE), q: 0.50033 };
  /** @type {(filter: { k: number, q: number }) => Coefficients} */
  const poles = ({ k, q }) => [1 + k / q + k * k, 2 * (k * k - 1), 1 - k / q + k * k];
  const [passZero] = poles(pass);
  return [
    {
      zeros: [
        shelf.gain + (edge * shelf.k) / shelf.q + shelf.k ** 2,
        2 * (shelf.k ** 2 - shelf.gain),
        shelf.gain - (edge * shelf.k) / shelf.q + shelf.k ** 2,
      ],
      poles: poles(shelf),
    },
    { zeros: [passZero, -2 * passZero, passZero], poles: poles(pass) },
  ];
}

/**
 * The track's loudness in LUFS, ungated: there is no silence in it to leave out.
 *
 * @param {Float32Array} track
 */
function loudnessOf(track) {
  let weighted = new Float64Array(track);
  for (const { zeros, poles } of loudnessFilters()) {
    const [a0, a1, a2] = poles;
    const [b0, b1, b2] = zeros;
    const output = new Float64Array(weighted.length);
    for (let n = 0; n < weighted.length; n += 1) {
      const past = n > 1 ? b1 * sampleAt(weighted, n - 1) + b2 * sampleAt(weighted, n - 2) : 0;
      const fed = n > 1 ? a1 * sampleAt(output, n - 1) + a2 * sampleAt(output, n - 2) : 0;
      output[n] = (b0 * sampleAt(weighted, n) + past - fed) / a0;
    }
    weighted = output;
  }
  const power = weighted.reduce((sum, sample) => sum + sample * sample, 0) / weighted.length;
  return -0.691 + 10 * Math.log10(power);
}

/**
 * Brings the track to its loudness, and bends what would go beyond the ceiling.
 *
 * @param {Float32Array} track
 */
function master(track) {
  const gain = 10 ** ((LOUDNESS - loudnessOf(track)) / 20);
  const { knee, ceiling } = LIMITER;
  const room = ceiling - knee;
  for (let index = 0; index < track.length; index += 1) {
    const sample = gain * sampleAt(track, index);
    const beyond = Math.abs(sample) - knee;
    track[index] =
      beyond > 0 ? Math.sign(sample) * (knee + room * Math.tanh(beyond / room)) : sample;
  }
}

/**
 * @param {Walk} walk
 * @returns {Float32Array} the walk's samples
 */
function compose(walk) {
  const stream = (/** @type {string} */ name) => createRandom(`${walk.title}: ${name}`);
  const lastBell = walk.bells.at(-1) ?? 0;
  const track = new Float32Array(Math.round((lastBell + TAIL) * SAMPLE_RATE));
  walk.addWeather(track, stream);
  const foot = stream("soles");
  for (const step of stepsOf(walk, stream("steps"))) walk.addStep(track, foot, step);
  fade(track, lastBell + 1);
  const bell = stream("bell");
  for (const at of walk.bells) addBell(track, bell, { at, pitch: walk.pitch, gain: 0.034 });
  master(track);
  return track;
}

/**
 * @param {Float32Array} track
 * @param {string} title
 * @returns {Promise<Uint8Array>} the track as a tagged MP3 file
 */
async function encode(track, title) {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: SAMPLE_RATE, channels: 1, bitrate: BIT_RATE });
  // The encoder reuses its buffer, hence the copies.
  const parts = [];
  for (let start = 0; start < track.length; start += SAMPLE_RATE) {
    parts.push(Buffer.from(encoder.encode([track.subarray(start, start + SAMPLE_RATE)])));
  }
  parts.push(Buffer.from(encoder.finalize()));
  const sound = Buffer.concat(parts);
  const writer = new ID3Writer(
    sound.buffer.slice(sound.byteOffset, sound.byteOffset + sound.length),
  );
  writer
    .setFrame("TIT2", title)
    .setFrame("TPE1", ["Maren Ashdown"])
    .setFrame("TALB", "The Golden Path")
    .setFrame("TLEN", Math.round((track.length / SAMPLE_RATE) * 1000));
  return new Uint8Array(writer.addTag());
}

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("Usage: node compose-walks.mjs <folder>");
  process.exit(1);
}
await mkdir(folder, { recursive: true });
for (const walk of WALKS) {
  const file = await encode(compose(walk), walk.title);
  await writeFile(join(folder, walk.file), file);
  console.log(`${walk.file}: ${file.length} bytes`);
}
