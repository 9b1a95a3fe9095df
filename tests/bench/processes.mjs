import { fork, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NODE_FLAGS, NODE_VARIABLES } from "../../app/tooling/node-flags.mjs";
import { freePorts } from "../support/ports.mjs";
import { untilReady } from "../support/ready.mjs";

// as in the container, for the site and all that it is compared with
Object.assign(process.env, NODE_VARIABLES);

export const project = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {{ pid: number, origin: string, stop: () => Promise<void> }} Server
 * @typedef {{ port: number, known: string, answer: never, cpu: number, rate: number }} Message one of
 *   these: the port it listens on, the name of a response it has stored, the answer to a command, the CPU seconds its work
 *   took, how often a second it did something
 */

/**
 * Starts the built program, or the same build under remix-serve, and waits until it answers.
 *
 * @param {Record<string, string>} variables
 * @param {{ plain?: boolean, nodeFlags?: string[], root?: string }} [options] `root` is that of another built checkout
 * @returns {Promise<Server>}
 */
export async function startSite(variables, { plain = false, nodeFlags = [], root = project } = {}) {
  const port = await freePorts(2);
  const parameters = plain
    ? [join(root, "node_modules/@remix-run/serve/dist/cli.js"), join(root, "build/index.js")]
    : [...NODE_FLAGS, ...nodeFlags, join(root, "build/index.js"), "serve"];
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      PORT: String(port),
      // as they are asked for, which is not the default name of this machine
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: "error",
      ...NODE_VARIABLES,
      RATE_LIMIT_FACTOR: "1000000",
      ...variables,
    },
    // remix-serve prints a line per request, which is not the site's work
    stdio: ["ignore", "ignore", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilReady(origin, { child });
  return { pid: child.pid ?? 0, origin, stop: () => stop(child) };
}

/**
 * The settings of a site with payments, on a database of its own.
 *
 * @param {{ url: string, dataDir: string, secret: string }} options
 * @returns {Promise<Record<string, string>>}
 */
export async function siteVariables({ url, dataDir, secret }) {
  return {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SESSION_SECRET: secret,
    PAYMENTS: "sandbox",
    STRIPE_SANDBOX_PORT: String(await freePorts(2)),
  };
}

/** @returns {Promise<Server & { teach: (name: string, answer: Response) => Promise<void> }>} */
export async function startBareServer() {
  const child = fork(join(project, "tests/bench/bare-server.mjs"));
  const { port } = await heard(child, "port");
  const origin = `http://127.0.0.1:${port}`;
  return {
    pid: child.pid ?? 0,
    origin,
    stop: () => stop(child),
    teach: async (name, answer) => {
      const body = Buffer.from(await answer.arrayBuffer());
      const skipped = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
      const headers = [...answer.headers].filter(([header]) => !skipped.has(header)).flat();
      const length = answer.headers.has("content-length") || answer.status === 304;
      if (!length) headers.push("Content-Length", String(body.byteLength));
      const known = heard(child, "known");
      child.send({ name, status: answer.status, headers, body: body.toString("base64") });
      await known;
    },
  };
}

/**
 * A bare server that makes the writes of posts (bare-poster.mjs).
 *
 * @param {string} url of its database
 * @param {object} mail that a newsletter post stores
 * @returns {Promise<Server>}
 */
export async function startBarePoster(url, mail) {
  const child = fork(join(project, "tests/bench/bare-poster.mjs"), [url]);
  const { port } = await heard(child, "port");
  const known = heard(child, "known");
  child.send({ mail });
  await known;
  return { pid: child.pid ?? 0, origin: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

/**
 * Verifies a password in a process of its own for some seconds, a number of times at once; resolves to the times a
 * second, but for a margin of seconds at both ends. The process is as Node makes it or, `asTheSite`, has the site's
 * settings of malloc and keeps what hashes leave behind.
 *
 * @param {{ hash: string, password: string, parallel: number, seconds: number, margin: number, asTheSite: boolean }} work
 * @returns {Promise<number>}
 */
export async function measureHashing(work) {
  const env = { ...process.env };
  if (!work.asTheSite) for (const name of Object.keys(NODE_VARIABLES)) delete env[name];
  const child = fork(join(project, "tests/bench/bare-hasher.mjs"), { env });
  const hashed = heard(child, "rate");
  child.send(work);
  return (await hashed).rate;
}

/**
 * An SMTP server in a process of its own; `ask` sends it a command of tests/support/smtp-sink-process.mjs.
 *
 * @returns {Promise<{ pid: number, url: string, ask: (command: string) => Promise<never>, stop: () => Promise<void> }>}
 */
export async function startSmtpSink() {
  const child = fork(join(project, "tests/support/smtp-sink-process.mjs"));
  const { port } = await heard(child, "port");
  return {
    pid: child.pid ?? 0,
    url: `smtp://127.0.0.1:${port}`,
    ask: async (command) => {
      const answer = heard(child, "answer");
      child.send({ id: 0, command });
      return (await answer).answer;
    },
    stop: () => stop(child),
  };
}

/**
 * Sends mails in a loop around nodemailer, in a process of its own; resolves to its CPU seconds.
 *
 * @param {{ url: string, mails: number, connections: number, message: string }} work
 * @returns {Promise<number>}
 */
export async function runBareMailer(work) {
  const child = fork(join(project, "tests/bench/bare-mailer.mjs"));
  const sent = heard(child, "cpu");
  child.send(work);
  return (await sent).cpu;
}

/**
 * Runs a command of the built program until it ends.
 *
 * @param {string[]} command
 * @param {Record<string, string>} variables
 * @returns {Promise<void>}
 */
export function runCommand(command, variables) {
  const child = spawn(process.execPath, [join(project, "build/index.js"), ...command], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", ...variables },
    // no terminal, at which the command might stay
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command.join(" ")} ended with ${code}.`)),
    );
  });
}

/**
 * Floods a site with log-ins; resolves when the flood is over.
 *
 * @param {{ pid: number, origin: string }} site
 * @param {number} seconds
 * @returns {Promise<void>}
 */
export function startFlood({ pid, origin }, seconds) {
  const parameters = [String(pid), origin, String(seconds)];
  const child = fork(join(project, "tests/bench/flood.mjs"), parameters);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`The flood ended with ${code}.`)),
    );
  });
}

/**
 * The child's next message that has this field.
 *
 * @template {keyof Message} Field
 * @param {import("node:child_process").ChildProcess} child
 * @param {Field} field
 * @returns {Promise<Pick<Message, Field>>}
 */
function heard(child, field) {
  return new Promise((resolve) => {
    const listen = (/** @type {Message} */ message) => {
      if (!(field in message)) return;
      child.off("message", listen);
      resolve(message);
    };
    child.on("message", listen);
  });
}

/** @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/**
 * CPU seconds that a process has used so far; null without /proc.
 *
 * @param {number} pid
 */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

/**
 * A process's memory now, in MB; null without /proc.
 *
 * @param {number} pid
 */
export const residentMemory = (pid) => megabytes(`/proc/${pid}/status`, "VmRSS");

/**
 * A process's peak memory so far, in MB; null without /proc.
 *
 * @param {number} pid
 */
export const peakMemory = (pid) => megabytes(`/proc/${pid}/status`, "VmHWM");

/**
 * The memory of the database server of a site, in MB, with what its processes share counted once; null without /proc, or
 * if it may not be read.
 *
 * @param {string} dataDir
 */
export function databaseMemory(dataDir) {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const shares = pids
    .filter(isOfDatabase)
    .map((pid) => megabytes(`/proc/${pid}/smaps_rollup`, "Pss"));
  return shares.length === 0 || shares.includes(null)
    ? null
    : shares.reduce((/** @type {number} */ sum, share) => sum + (share ?? 0), 0);

  /** @param {string} pid */
  function isOfDatabase(pid) {
    try {
      // PostgreSQL changes into its data directory
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(realpathSync(dataDir));
    } catch {
      return false;
    }
  }
}

/**
 * A figure of a file of /proc, in MB; null if it is not there.
 *
 * @param {string} file
 * @param {string} name
 */
function megabytes(file, name) {
  try {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(file, "utf8"));
    return found ? Number(found[1]) / 1024 : null;
  } catch {
    return null;
  }
}
