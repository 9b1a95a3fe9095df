import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { env } from "~/env.server";
import { handle, loader } from "~/routes/healthz/route";
import { clientAddress, describeConnection } from "~/server/client-address.server";
import { checkRequest } from "~/server/request-guards.server";
import type { Certificate } from "./certificates";

/** The configuration of a proxy. */
export type ProxyHabits = {
  passesHost: boolean;
  /** Answers in place of the site. */
  answers?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Its own Date header. */
  date?: string;
};

export const GOOD_HABITS: ProxyHabits = { passesHost: true };

/** The site's own port, with the program's guards and health route, behind a TLS and a plain port. */
export type Front = {
  sitePort: number;
  httpsPort: number;
  httpPort: number;
  habits: ProxyHabits;
  /** Handles requests to the plain port. */
  plain: (request: IncomingMessage, response: ServerResponse) => void;
  certify(certificate: Certificate): void;
  stopSite(): Promise<void>;
  startSite(): Promise<void>;
  close(): Promise<void>;
};

export async function startFront(certificate: Certificate): Promise<Front> {
  const site = createServer(answerAsSite);
  const sitePort = await listen(site);
  const pem = ({ certificate, key }: Certificate) => ({
    cert: readFileSync(certificate),
    key: readFileSync(key),
  });
  const tls = createTlsServer(pem(certificate), (incoming, outgoing) =>
    front.habits.answers
      ? front.habits.answers(incoming, outgoing)
      : passOn(incoming, outgoing, front.habits, sitePort),
  );
  const plain = createServer((incoming, outgoing) => front.plain(incoming, outgoing));
  const front: Front = {
    sitePort,
    httpsPort: await listen(tls),
    httpPort: await listen(plain),
    habits: GOOD_HABITS,
    plain: redirectToTls,
    certify: (other) => tls.setSecureContext(pem(other)),
    stopSite: () => end(site),
    startSite: async () => void (await listen(site, sitePort)),
    close: async () => {
      await Promise.all([site, tls, plain].map(end));
    },
  };
  return front;
}

export function redirectToTls(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(308, { Location: `https://${incoming.headers.host}${incoming.url}` }).end();
}

/** Answers with the parts of the host and the route that a health check reaches. */
async function answerAsSite(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const path = (incoming.url ?? "/").split("?")[0] ?? "/";
  const rejection = checkRequest(incoming, path, path === "/healthz" ? handle : {});
  if (rejection) {
    outgoing.writeHead(rejection.status, rejection.headers).end(`${rejection.message}\n`);
    return;
  }
  const answer = loader({
    request: new Request(new URL(incoming.url ?? "/", env().PUBLIC_URL), {
      headers: incoming.headers as Record<string, string>,
    }),
    context: {
      clientAddress: clientAddress(incoming),
      connection: () => describeConnection(incoming),
    },
    params: {},
  });
  outgoing.writeHead(answer.status).end(await answer.text());
}

/** Forwards a request to the site. */
function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  habits: ProxyHabits,
  port: number,
): void {
  const headers: OutgoingHttpHeaders = { ...incoming.headers };
  if (!habits.passesHost) headers.host = `127.0.0.1:${port}`;
  const before = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = [...(before ? [before] : []), "127.0.0.1"].join(", ");
  headers["x-forwarded-proto"] = "https";
  const onward = request({ host: "127.0.0.1", port, path: incoming.url, headers, agent: false });
  onward.on("response", (answer) => {
    const date = habits.date ?? answer.headers.date;
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.writeHead(502).end("Bad Gateway"));
  onward.end();
}

function listen(server: Server | TlsServer, port = 0): Promise<number> {
  return new Promise((listening) =>
    server.listen(port, "127.0.0.1", () => listening((server.address() as AddressInfo).port)),
  );
}

function end(server: Server | TlsServer): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}
