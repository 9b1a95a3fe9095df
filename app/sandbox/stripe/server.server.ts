import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { type ApiContext, handleApiRequest } from "./api/handler";
import { KeysInUse } from "./api/idempotency";
import { type ControlContext, ControlError } from "./control/action";
import { runControlAction } from "./control/api";
import { controlPage } from "./control/page";
import { ApiError } from "./engine/api-error";
import { updateSessionUrls } from "./engine/checkout-sessions";
import { Faults, Latency } from "./engine/faults";
import { RequestLog } from "./engine/request-log";
import type { Log, Sandbox } from "./engine/sandbox";
import { runDue } from "./engine/schedule";
import { type SeedPrice, seedCatalog, seedWebhookEndpoint } from "./engine/seed";
import { Store } from "./engine/store";
import { WebhookDispatcher } from "./engine/webhook-dispatcher";
import {
  BodyTooLarge,
  mediaType,
  pathAndQuery,
  readBody,
  redirect,
  sendJson,
  sendPage,
} from "./http/exchange";
import { decodeForm, type Form } from "./http/form";
import { hostCheck, isCrossOrigin } from "./http/request-origin";
import { messagePage } from "./pages/layout";
import { routePage } from "./pages/router";

const PAGE_BODY_LIMIT = 64_000;
const TICK_MS = 1_000;

export type StripeSandboxOptions = {
  /** 0 takes any free port. */
  port: number;
  /** The addresses to listen on; undefined means all. 127.0.0.1 by default. */
  hosts?: (string | undefined)[];
  /** The host name by which the site reaches the local Stripe, if not a loopback name. */
  ownHost?: string;
  /** The origin at which browsers reach the local Stripe; `http://localhost:<port>` by default. */
  publicOrigin?: string;
  /** The file that stores the state; null keeps it in memory. */
  stateFile: string | null;
  secretKey: string;
  webhookSecret: string;
  /** The site's webhook address; null to send only to endpoints registered through the API. */
  webhookUrl: string | null;
  /** The event types sent to `webhookUrl`; all by default. */
  webhookEvents?: string[];
  price: SeedPrice;
  /** Latency of every API call in milliseconds, 0 to 60,000; 0 by default. */
  latencyMs?: number;
  log?: Log;
};

type Context = ApiContext & ControlContext;

export type StripeSandbox = { origin: string; port: number; close(): Promise<void> };

/**
 * Starts the local Stripe: API, hosted pages, webhooks and control page on one port. Rejects with Node's error if it
 * cannot listen, and with a message for the operator if the state file is unreadable.
 */
export async function startStripeSandbox(options: StripeSandboxOptions): Promise<StripeSandbox> {
  const { hosts = ["127.0.0.1"], log = () => undefined } = options;
  const store = await Store.open(options.stateFile);
  let origin = options.publicOrigin ?? "";
  const sandbox: Sandbox = {
    state: store.state,
    get origin() {
      return origin;
    },
    get pagesOrigin() {
      return store.state.customDomain ?? origin;
    },
    cause: null,
    now: () => Math.floor(Date.now() / 1000) + store.state.clockOffset,
    changed: () => {
      store.changed();
      dispatcher.wake();
    },
  };
  const dispatcher = new WebhookDispatcher(sandbox, store, log);
  const context: Context = {
    sandbox,
    secretKey: options.secretKey,
    faults: new Faults(),
    latency: new Latency(options.latencyMs ?? 0),
    keysInUse: new KeysInUse(),
    requests: new RequestLog(),
    log,
    saved: () => store.saved(),
    dispatcher,
  };
  const isOwnHost = hostCheck(() => [
    new URL(origin).hostname,
    new URL(sandbox.pagesOrigin).hostname,
    options.ownHost ?? "",
  ]);
  const servers = await listen(listener(context, isOwnHost), options.port, hosts);
  const port = portOf(servers[0]) ?? options.port;
  if (options.publicOrigin === undefined) origin = `http://localhost:${port}`;

  const stop = async () => {
    clearInterval(tick);
    dispatcher.close();
    await Promise.all(servers.map(close));
    await store.saved();
  };
  const tick = setInterval(() => {
    try {
      runDue(sandbox);
    } catch (error) {
      log({ msg: "sandbox failure", error: error instanceof Error ? error.stack : String(error) });
    }
  }, TICK_MS).unref();
  try {
    seedCatalog(sandbox, options.price);
    seedWebhookEndpoint(sandbox, {
      url: options.webhookUrl,
      secret: options.webhookSecret,
      events: options.webhookEvents ?? ["*"],
    });
    updateSessionUrls(sandbox);
    runDue(sandbox);
    await store.saved();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  // deliveries that were pending when the local Stripe last stopped
  dispatcher.wake();
  log({ msg: "sandbox listening", port, origin });
  return { origin, port, close: stop };
}

/** Starts one server per address, all on the same port. */
async function listen(
  listener: RequestListener,
  port: number,
  hosts: (string | undefined)[],
): Promise<Server[]> {
  const servers: Server[] = [];
  try {
    for (const host of hosts) {
      const server = createServer(listener);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port: portOf(servers[0]) ?? port, host }, () => {
          server.off("error", reject);
          resolve();
        });
      });
      servers.push(server);
    }
  } catch (error) {
    await Promise.all(servers.map(close));
    throw error;
  }
  return servers;
}

function portOf(server: Server | undefined): number | undefined {
  return (server?.address() as AddressInfo | undefined)?.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listener(context: Context, isOwnHost: (request: IncomingMessage) => boolean) {
  // shown once, on the control page after a form was submitted
  let notice: string | null = null;

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path } = pathAndQuery(request);
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPage = !path.startsWith("/v1") && !path.startsWith("/_control");
    if (!isOwnHost(request)) {
      return sendJson(
        response,
        421,
        JSON.stringify({ error: "The local Stripe has another name." }),
      );
    }
    // the site, which is another origin, links to the pages
    if (!(isPage && isRead) && isCrossOrigin(request)) {
      return sendJson(response, 403, JSON.stringify({ error: "Not from another site." }));
    }
    if (path === "/v1" || path.startsWith("/v1/")) {
      await handleApiRequest(context, request, response);
    } else if (path.startsWith("/_control/")) {
      notice = await handleControl(context, request, response, path);
    } else if ((path === "/" || path === "/control") && isRead) {
      sendPage(response, 200, controlPage(context, notice));
      notice = null;
    } else {
      await handlePage(context, request, response, path, isRead);
    }
  };

  return (request: IncomingMessage, response: ServerResponse): void => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      if (error instanceof BodyTooLarge) {
        return sendPage(response, 413, messagePage("Too large", "That form is too large."));
      }
      if (error instanceof ApiError) {
        return sendPage(response, error.status, messagePage("Bad request", error.message));
      }
      context.log({
        msg: "sandbox failure",
        error: error instanceof Error ? error.stack : String(error),
      });
      sendPage(response, 500, messagePage("The local Stripe failed", "Its log says how."));
    });
  };
}

async function handlePage(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  isRead: boolean,
): Promise<void> {
  if (!isRead && request.method !== "POST") {
    return sendPage(response, 405, messagePage("Not allowed", "This page takes GET and POST."));
  }
  const form = isRead ? null : await readForm(request);
  const result = routePage(context.sandbox, path, form);
  await context.saved();
  if (result === null) {
    sendPage(response, 404, messagePage("Not found", "There is nothing at this address."));
  } else if ("redirect" in result) {
    redirect(response, result.redirect);
  } else {
    sendPage(response, result.status ?? 200, result.page);
  }
}

async function readForm(request: IncomingMessage): Promise<Form> {
  return decodeForm(await readBody(request, PAGE_BODY_LIMIT));
}

/** Handles a control request. Returns a notice for the control page if a form was submitted there. */
async function handleControl(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<string | null> {
  const isForm = mediaType(request) === "application/x-www-form-urlencoded";
  const finish = (status: number, body: object, notice: string): string | null => {
    if (isForm) redirect(response, "/control");
    else sendJson(response, status, JSON.stringify(body, null, 2));
    return isForm ? notice : null;
  };
  try {
    const method = request.method ?? "GET";
    const input = method === "GET" ? {} : await readInput(request, isForm);
    const result = await runControlAction(context, method, path, input);
    await context.saved();
    return finish(200, result, `Done: ${path.slice("/_control/".length)}`);
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof ApiError)) throw error;
    // the API answers 400 if an object's state rules out an action
    const status = error.status === 400 && error instanceof ApiError ? 409 : error.status;
    return finish(status, { error: error.message }, error.message);
  }
}

async function readInput(request: IncomingMessage, isForm: boolean): Promise<object> {
  const body = await readBody(request, PAGE_BODY_LIMIT);
  if (isForm) {
    // an empty field counts as absent
    return Object.fromEntries(Object.entries(decodeForm(body)).filter(([, value]) => value !== ""));
  }
  if (body === "") return {};
  // a foreign page can send other types, such as text/plain, without a preflight
  if (mediaType(request) !== "application/json") {
    throw new ControlError(415, "The body must be JSON or a form.");
  }
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null) return parsed;
  } catch {
    // rejected below, like any body that is not an object
  }
  throw new ControlError(400, "The body must be a JSON object.");
}
