// Linux's own profiler, which sees what a process does outside of JavaScript as well: V8's takes the time in which a thread
// waits for the system for CPU time. Used where it is installed (Debian's package `linux-perf`).
import { constants } from "node:buffer";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * A function that calls or is called, and where it is from, without the machine's folders: "build/index.js", a package's
 * name, Node's own module, or nothing for what is not JavaScript.
 *
 * @typedef {{ name: string, place: string }} Call
 * @typedef {Call[]} Stack the outermost first
 */

/** Makes V8 tell perf what its code is. */
export const PERF_FLAGS = ["--perf-basic-prof", "--interpreted-frames-native-stack"];

/** Not a divisor of what anything else is timed by. */
const SAMPLES_PER_SECOND = 997;

/** Whether perf is installed. */
export const hasPerf = () => spawnSync("perf", ["--version"]).status === 0;

/**
 * Samples the stacks of a process that was started with `PERF_FLAGS`, of all of its threads while they are on a CPU.
 *
 * @param {number} pid
 * @param {string} folder for what is recorded
 * @returns {() => Promise<Stack[]>} ends the recording
 */
export function recordStacks(pid, folder) {
  const file = join(folder, "perf.data");
  const how = ["--event", "cpu-clock", "--freq", String(SAMPLES_PER_SECOND), "--call-graph", "fp"];
  const perf = spawn(
    "perf",
    ["record", "--quiet", ...how, "--pid", String(pid), "--output", file],
    {
      stdio: "inherit",
    },
  );
  const exited = once(perf, "exit");
  return async () => {
    if (!perf.kill("SIGINT"))
      throw new Error(
        "perf has ended early: may it sample, as root or by kernel.perf_event_paranoid?",
      );
    await exited;
    const text = execFileSync("perf", ["script", "--input", file, "--fields", "ip,sym,dso"], {
      encoding: "utf8",
      maxBuffer: constants.MAX_STRING_LENGTH,
      stdio: ["ignore", "pipe", "ignore"],
    });
    // V8 writes it there, whatever TMPDIR is
    const map = `/tmp/perf-${pid}.map`;
    const nameAt = namesOfCode(readFileSync(map, "utf8"));
    rmSync(map);
    const stacks = readStacks(text, nameAt);
    if (stacks.length === 0) throw new Error("perf has sampled nothing.");
    return stacks;
  };
}

/**
 * What `perf script` prints, with one frame for each stretch of a stack that is not JavaScript.
 *
 * @param {string} text
 * @param {(address: number) => string} nameAt
 * @returns {Stack[]}
 */
function readStacks(text, nameAt) {
  return text
    .split(/\n\s*\n/)
    .map((sample) => foldFrames(readFrames(sample, nameAt)))
    .filter((stack) => stack.length > 0);
}

/**
 * @typedef {"script" | "builtin" | "engine" | "node" | "kernel"} Kind
 * @typedef {{ kind: Kind, symbol: string }} Frame
 */

/** @param {string} sample @param {(address: number) => string} nameAt @returns {Frame[]} the outermost first */
function readFrames(sample, nameAt) {
  /** @type {Frame[]} */
  const frames = [];
  for (const line of sample.split("\n")) {
    const [, address = "", name = "", object = ""] =
      /^\s*([0-9a-f]+) (.*) \(([^()]*|\[[^\]]*\])\)$/.exec(line) ?? [];
    if (!address) continue;
    const isCompiled = /\/perf-\d+\.map$/.test(object);
    const symbol = isCompiled ? nameAt(Number.parseInt(address, 16)) : name;
    frames.unshift({ kind: kindOf(symbol, object), symbol });
  }
  return frames;
}

/** @param {string} symbol @param {string} object @returns {Kind} */
function kindOf(symbol, object) {
  if (object.startsWith("[kernel")) return "kernel";
  if (/^(JS|Eval|Script|Function|LazyCompile):/.test(symbol)) return "script";
  if (/^(Builtins_|Builtin:|BytecodeHandler:|RegExp:)/.test(symbol)) return "builtin";
  return symbol.startsWith("v8::") ? "engine" : "node";
}

/** @param {Frame[]} frames @returns {Stack} */
function foldFrames(frames) {
  /** @type {Stack} */
  const stack = [];
  let from = 0;
  while (from < frames.length) {
    const { kind } = /** @type {Frame} */ (frames[from]);
    let to = from + 1;
    if (kind !== "script") while (frames[to]?.kind === kind) to++;
    const symbols = frames.slice(from, to).map(({ symbol }) => symbol);
    const call = CALLS[kind](symbols);
    if (call) stack.push(call);
    from = to;
  }
  return stack;
}

/** Each kind's frame for a stretch of them; null for one that says nothing. @type {Record<Kind, (symbols: string[]) => Call | null>} */
const CALLS = {
  script: ([symbol = ""]) => {
    const [, name = "", url = ""] = /^\w+:[*^~+]? ?(.*?) ?((?:file:|node:)\S*)$/.exec(symbol) ?? [];
    return { name: name || "(anonymous)", place: placeOf(url.replace(/(:\d+)+$/, "")) };
  },
  builtin: (symbols) => {
    const name = symbols.map(builtinName).findLast((one) => one !== "");
    return name ? { name, place: "" } : null;
  },
  engine: (symbols) => {
    const all = symbols.join("\n");
    if (/Heap::|Scaveng|MarkCompact|Sweep|ConcurrentMark|GCTracer|Marking/.test(all)) {
      return { name: "(garbage collector)", place: "" };
    }
    if (/ompil|v8::internal::(parsing|Parser|PreParser)/.test(all))
      return { name: "(compiler)", place: "" };
    const named = symbols.map(engineName).find((one) => one !== "");
    return named ? { name: named, place: "" } : null;
  },
  node: (symbols) => {
    if (symbols.includes("uv_run")) return { name: "(event loop)", place: "" };
    const named = symbols.find((symbol) => /^node::(?!.*Callback)/.test(symbol));
    return named ? { name: `${named.slice(6).replace(/[(<].*/, "")}`, place: "" } : null;
  },
  kernel: (symbols) => {
    const call = symbols
      .map((symbol) => /^__(?:x64|arm64)_sys_(\w+)/.exec(symbol)?.[1])
      .find(Boolean);
    return { name: call ? `${call} (kernel)` : "(kernel)", place: "" };
  },
};

/** Without those that only lead to the next one. @param {string} symbol */
function engineName(symbol) {
  const [, name = ""] =
    /^v8::(?:internal::)?((?:\w+::)*~?\w+)/.exec(
      symbol.replaceAll("(anonymous namespace)::", ""),
    ) ?? [];
  return /^Execution::|^Invoke$|MicrotaskQueue|Function::Call$|CallbackArguments|HandleApiCall/.test(
    name,
  )
    ? ""
    : name.replace(/^(Runtime|Builtin)_/, "");
}

/** Likewise, of what is compiled in advance or for one pattern. @param {string} symbol */
function builtinName(symbol) {
  if (symbol.startsWith("RegExp:")) return "(regular expression)";
  const name = symbol.replace(/^(Builtins_|Builtin:|BytecodeHandler:)/, "");
  const onlyLeads =
    /Entry|Trampoline|^Call|Handler|Adaptor|Construct|IC\b|IC_|Baseline|CompileLazy/;
  return onlyLeads.test(name) ? "" : name;
}

/**
 * Of V8's list of the code that it has made. Code that was dropped is followed in the list by what took its place.
 *
 * @param {string} map
 * @returns {(address: number) => string}
 */
function namesOfCode(map) {
  const entries = map.split("\n").flatMap((line) => {
    const [, start, size, name = ""] = /^([0-9a-f]+) ([0-9a-f]+) (.*)$/.exec(line) ?? [];
    if (!start || !size) return [];
    const from = Number.parseInt(start, 16);
    return [{ from, to: from + Number.parseInt(size, 16), name }];
  });
  entries.reverse();
  /** @type {Map<number, string>} */
  const known = new Map();
  return (address) => {
    const name =
      known.get(address) ??
      entries.find(({ from, to }) => address >= from && address < to)?.name ??
      "";
    known.set(address, name);
    return name;
  };
}

/** @param {string} url */
function placeOf(url) {
  const [, inPackage] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return inPackage ?? /build\/[^/]+$/.exec(url)?.[0] ?? (url.startsWith("node:") ? url : "");
}
