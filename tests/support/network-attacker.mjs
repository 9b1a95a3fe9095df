// Attacks a program from many addresses until its input ends, then prints what came of it as JSON. It does
// not know the program's limits: whatever is closed or answered is started again.
import { Agent, request } from "node:http";
import { connect, isIPv6 } from "node:net";

/**
 * @typedef {object} Attack
 * @property {"connections" | "log-ins" | "pages"} kind
 * @property {string[]} addresses where it comes from, in turn
 * @property {{ port: number, name: string }} target `name` is what its requests call it
 * @property {number} concurrency connections or requests
 * @property {string} [email] whose password is guessed; everybody's if it is nobody's
 */

/** @type {Attack} */
const attack = JSON.parse(process.argv[2] ?? "");
const { addresses, target, concurrency } = attack;

/** The two ends of a connection or request: whoever it is from, the program is on loopback. */
function ends(/** @type {number} */ number) {
  const localAddress = addresses[number % addresses.length] ?? "";
  return { localAddress, host: isIPv6(localAddress) ? "::1" : "127.0.0.1", port: target.port };
}

/** How often each thing happened, such as an answer's status. @type {Record<string, number>} */
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

/** Delay before a restart; without it, the attackers themselves would take most of the CPU. */
const PAUSE_MS = 500;

const HEAD = `HTTP/1.1\r\nHost: ${target.name}\r\n`;

/** What a connection sends before it goes silent: kinds of clients that only occupy a connection. */
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

/** @param {number} number */
function ask(number, round = 0) {
  const { localAddress, host, port } = ends(number);
  const isLogIn = attack.kind === "log-ins";
  const email = attack.email ?? `nobody-${number}-${round}@example.test`;
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
  else ask(number);
}
