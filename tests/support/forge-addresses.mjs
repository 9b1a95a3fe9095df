// Runs in its own network namespace, and starts the built program with TRUST_PROXY=1. Subscribes to the newsletter
// from a public address and from loopback, with a forged X-Forwarded-For each time, and prints the statuses.
import { spawn } from "node:child_process";
import { request } from "node:http";
import { resolve } from "node:path";
import { untilReady } from "./ready.mjs";

const PORT = 3000;
const { SERVER, VISITOR, ATTEMPTS, ...variables } = process.env;
const program = spawn(process.execPath, [resolve(import.meta.dirname, "../../build/index.js")], {
  env: { ...variables, PORT: String(PORT), TRUST_PROXY: "1", LOG_LEVEL: "error" },
  stdio: ["ignore", "inherit", "inherit"],
});
const ended = new Promise((done) => program.once("exit", done));

try {
  await untilReady(`http://127.0.0.1:${PORT}`, {
    child: program,
    ask: () => ask("/readyz", "127.0.0.1"),
  });
  /** @type {{ direct: number[], proxied: number[] }} */
  const statuses = { direct: [], proxied: [] };
  for (let i = 0; i < Number(ATTEMPTS); i++) {
    statuses.direct.push(await subscribe(i, SERVER, VISITOR));
    statuses.proxied.push(await subscribe(i + 100, "127.0.0.1"));
  }
  console.log(JSON.stringify(statuses));
} finally {
  program.kill();
  await ended;
}

/**
 * Subscribes the reader with this number; returns the status.
 *
 * @param {number} i
 * @param {string | undefined} host
 * @param {string} [localAddress] the client's address
 */
function subscribe(i, host, localAddress) {
  const fields = { email: `reader-${i}@example.test` };
  return ask("/newsletter", host, { fields, localAddress, forwarded: `192.0.${i}.${i + 1}` });
}

/**
 * @param {string} path
 * @param {string | undefined} host
 * @param {{ fields?: Record<string, string>, localAddress?: string, forwarded?: string }} [request] a GET
 *   without fields; `forwarded` is its X-Forwarded-For header
 * @returns {Promise<number>} the status, 0 for none
 */
function ask(path, host, { fields, localAddress, forwarded } = {}) {
  const headers = {
    Host: `localhost:${PORT}`,
    "Content-Type": "application/json",
    ...(forwarded && { "X-Forwarded-For": forwarded }),
  };
  const method = fields ? "POST" : "GET";
  return new Promise((resolve) => {
    const outgoing = request(
      { host, port: PORT, path, method, headers, localAddress },
      (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    outgoing.once("error", () => resolve(0));
    outgoing.end(fields && JSON.stringify(fields));
  });
}
