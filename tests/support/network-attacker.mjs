// Attacks a program from many addresses until stdin is closed, then prints the outcomes as JSON. It ignores the
// program's limits: every connection that is closed and every request that is answered is replaced.
import { Agent, request } from "node:http";
import { connect, isIPv6 } from "node:net";

/**
 * @typedef {object} Attack
 * @property {"connections" | "pipelines" | "log-ins" | "pages"} kind
 * @property {string[]} addresses of the attackers, used round-robin
 * @property {{ port: number, name: string }} target `name` is for the Host header
 * @property {number} concurrency connections or requests
 */

/** @type {Attack} */
const attack = JSON.parse(process.argv[2] ?? "");
const { addresses, target, concurrency } = attack;

/** The local address of a connection, and the program's on loopback. */
function ends(/** @type {number} */ number) {
  const localAddress = addresses[number % addresses.length] ?? "";
  return { localAddress, host: isIPv6(localAddress) ? "::1" : "127.0.0.1", port: target.port };
}

/** Counts by outcome, such as a response's status. @type {Record<string, number>} */
const outcomes = {};
const count = (/** @type {string | number} */ outcome) => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
};

let answers = 0;
let waited = 0;

process.stdin.resume().once("end", () => {
  outcomes.averageMs = waited / Math.max(1, answers);
  process.stdout.write(JSON.stringify(outcomes), () => process.exit());
});

/** Delay before a retry; without it, the attackers themselves would take most of the CPU. */
const PAUSE_MS = 500;

const HEAD = `HTTP/1.1\r\nHost: ${target.name}\r\n`;

/** The bytes sent before stalling, for several kinds of clients that only occupy a connection. */
const OPENINGS = [
  `GET / ${HEAD}X-Slow: `,
  `GET / ${HEAD}\r\n`,
  `POST /newsletter ${HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n${"x".repeat(30_000)}`,
  "",
];

/** @param {number} number */
function holdConnection(number) {
  const socket = connect(ends(number));
  socket.once("connect", () => {
    count("connected");
    socket.write(OPENINGS[number % OPENINGS.length] ?? "");
  });
  socket.on("error", () => {});
  socket.resume();
  socket.once("close", () => setTimeout(holdConnection, PAUSE_MS, number));
}

/** Sends twenty requests at once, and the next twenty when the connection has ended. @param {number} number */
function pipeline(number) {
  const socket = connect(ends(number));
  socket.once("connect", () => {
    count("connected");
    socket.write(`GET /auth/forgot-password ${HEAD}\r\n`.repeat(20));
  });
  socket.setTimeout(PAUSE_MS, () => socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  socket.once("close", () => setTimeout(pipeline, PAUSE_MS, number));
}

/** @param {number} number */
function ask(number, round = 0) {
  const { localAddress, host, port } = ends(number);
  const isLogIn = attack.kind === "log-ins";
  const email = `nobody-${number}-${round}@example.test`;
  const body = isLogIn ? JSON.stringify({ email, password: `wrong ${round}` }) : "";
  const startedAt = performance.now();
  const outgoing = request({
    host,
    port,
    localAddress,
    agent: agents.get(localAddress),
    method: isLogIn ? "POST" : "GET",
    path: isLogIn ? "/auth/login" : "/auth/forgot-password",
    headers: {
      Host: target.name,
      ...(isLogIn ? { Origin: `http://${target.name}`, "Content-Type": "application/json" } : {}),
      "Content-Length": Buffer.byteLength(body),
    },
  });
  const again = (/** @type {string | number} */ outcome) => {
    count(outcome);
    setTimeout(ask, PAUSE_MS, number, round + 1);
  };
  outgoing.once("response", (incoming) => {
    answers += 1;
    waited += performance.now() - startedAt;
    incoming.on("error", () => {}).resume();
    incoming.once("close", () => again(incoming.statusCode ?? 0));
  });
  outgoing.once("error", () => again("failed"));
  outgoing.end(body);
}

const agents = new Map(addresses.map((address) => [address, new Agent({ keepAlive: true })]));
for (let number = 0; number < concurrency; number++) {
  if (attack.kind === "connections") holdConnection(number);
  else if (attack.kind === "pipelines") pipeline(number);
  else ask(number);
}
