import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { type Mail, readMail } from "./mail";

/** A mail as the server received it: the envelope and the message. */
export type DeliveredMail = Mail & { sender: string; recipients: string[] };

export type TestSmtpServer = {
  url: string;
  /** Every accepted message so far, in order. */
  delivered: DeliveredMail[];
  /** The same messages as they arrived. */
  raw: Buffer[];
  /** The maximum number of messages that were being delivered concurrently. */
  mostAtOnce(): number;
  close(): Promise<void>;
};

type Options = {
  port?: number;
  /** The only credentials it accepts; by default it requires none. */
  login?: { user: string; password: string };
  /** The reply that rejects a recipient; null accepts all. */
  refuse?: (address: string) => { code: number; text: string } | null;
  /** Awaited before a message is acknowledged. */
  beforeAccepting?: () => Promise<void>;
};

/** A real SMTP server on loopback that stores what it receives. */
export async function startSmtpServer({
  port = 0,
  login,
  refuse = () => null,
  beforeAccepting = async () => {},
}: Options = {}): Promise<TestSmtpServer> {
  const delivered: DeliveredMail[] = [];
  const raw: Buffer[] = [];
  let concurrency = 0;
  let mostAtOnce = 0;
  const server = new SMTPServer({
    // without TLS, there is no certificate to trust
    disabledCommands: login ? ["STARTTLS"] : ["STARTTLS", "AUTH"],
    authOptional: !login,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(Object.assign(new Error("wrong login"), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, done) => {
      const refusal = refuse(address);
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData: async (stream, session, done) => {
      concurrency += 1;
      mostAtOnce = Math.max(mostAtOnce, concurrency);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      await beforeAccepting();
      concurrency -= 1;
      const message = Buffer.concat(chunks);
      raw.push(message);
      const { mailFrom } = session.envelope;
      delivered.push({
        ...readMail(message),
        sender: mailFrom ? mailFrom.address : "",
        recipients: session.envelope.rcptTo.map(({ address }) => address),
      });
      done();
    },
  });
  server.on("error", () => {
    // some tests disconnect on purpose
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: listening } = server.server.address() as AddressInfo;
  const user = login
    ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
    : "";
  return {
    url: `smtp://${user}127.0.0.1:${listening}`,
    delivered,
    raw,
    mostAtOnce: () => mostAtOnce,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
