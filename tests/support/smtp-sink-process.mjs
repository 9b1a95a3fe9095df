// A real SMTP server in a separate process, so a kill or a busy event loop of the sender does not affect it. It
// follows a script for each address, attempt by attempt, and then accepts.
import { SMTPServer } from "smtp-server";

/**
 * The server's reaction to one attempt to mail an address:
 * refuse: replies with a code to the recipient, or to the message;
 * drop: closes the connection at the recipient, before the message; after the whole message without accepting it;
 * or after accepting it without replying; wait: accepts after so many milliseconds; hang: accepts, but neither
 * replies nor closes the connection.
 *
 * @typedef {{ refuse: number, at: "recipient" | "message" }
 * | { drop: "recipient" | "unaccepted" | "accepted" }
 * | { wait: number }
 * | { hang: true }} Step
 * @typedef {{ address: string, messageId: string, at: number, answeredAt: number | null }} Delivery
 */

/** @type {Map<string, Step[]>} */
const scripts = new Map();
/** @type {Delivery[]} */
const deliveries = [];
/** A reply to every connection, or null. @type {number | null} */
let closedWith = null;
let concurrency = 0;
let mostAtOnce = 0;
let lastMessage = "";

/** @param {number} code @param {string} text */
const refusal = (code, text) => Object.assign(new Error(text), { responseCode: code });

const server = new SMTPServer({
  disabledCommands: ["STARTTLS", "AUTH"],
  authOptional: true,
  disableReverseLookup: true,
  hideENHANCEDSTATUSCODES: true,
  logger: false,
  maxClients: 1_000,
  onConnect: (_session, done) => done(closedWith ? refusal(closedWith, "closed") : null),
  onMailFrom: (_address, _session, done) => done(closedWith ? refusal(closedWith, "closed") : null),
  onRcptTo: ({ address }, session, done) => {
    const script = scripts.get(address);
    const step = script?.[0];
    if (step && "refuse" in step && step.at === "recipient") {
      script?.shift();
      return done(refusal(step.refuse, `<${address}>: refused`));
    }
    if (step && "drop" in step && step.drop === "recipient") {
      script?.shift();
      return drop(session.id);
    }
    done();
  },
  onData: async (stream, session, done) => {
    const chunks = [];
    try {
      for await (const chunk of stream) chunks.push(chunk);
    } catch {
      // the sender died in the middle of the message, so it was never sent
      return;
    }
    concurrency += 1;
    mostAtOnce = Math.max(mostAtOnce, concurrency);
    const address = session.envelope.rcptTo[0]?.address ?? "";
    const message = Buffer.concat(chunks).toString("latin1");
    const messageId = /^message-id: *(\S+)/im.exec(message)?.[1];
    const delivery = { address, messageId: messageId ?? "", at: Date.now(), answeredAt: null };
    const step = scripts.get(address)?.shift();
    if (step && "wait" in step) await new Promise((resolve) => setTimeout(resolve, step.wait));
    concurrency -= 1;
    if (step && "refuse" in step) return done(refusal(step.refuse, `<${address}>: refused`));
    if (step && "drop" in step && step.drop === "unaccepted") return drop(session.id);
    deliveries.push(delivery);
    lastMessage = message;
    if (step && "hang" in step) return;
    if (step && "drop" in step) return drop(session.id);
    done(null, "queued");
    Object.assign(delivery, { answeredAt: Date.now() });
  },
});

/** @param {string} id */
function drop(id) {
  for (const connection of server.connections) {
    if (connection.session.id === id) connection._socket.destroy();
  }
}

server.on("error", () => {
  // senders that are killed close their connections in the middle
});

const commands = {
  /** @param {Record<string, Step[]>} steps */
  script: (steps) => {
    for (const [address, script] of Object.entries(steps)) scripts.set(address, [...script]);
  },
  /** @param {number | null} code */
  close: (code) => {
    closedWith = code;
  },
  deliveries: () => deliveries,
  count: () => deliveries.length,
  /** Returns the number of messages accepted since the last call, their span in milliseconds, and the last message. */
  takeSpan: () => {
    const times = deliveries.splice(0).map(({ at }) => at);
    const span = { count: times.length, milliseconds: (times.at(-1) ?? 0) - (times[0] ?? 0) };
    return { ...span, lastMessage };
  },
  concurrency: () => concurrency,
  mostAtOnce: () => mostAtOnce,
};

process.on(
  "message",
  (/** @type {{ id: number, command: keyof typeof commands, argument: never }} */ request) => {
    const answer = commands[request.command](request.argument);
    process.send?.({ id: request.id, answer });
  },
);
// ends with the parent process
process.once("disconnect", () => process.exit());

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const address = server.server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : 0 });
});
