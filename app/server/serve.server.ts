import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as build from "@remix-run/dev/server-build";
import { broadcastDevReady, type ServerBuild } from "@remix-run/node";
import pTimeout from "p-timeout";
import { dataDirectory } from "~/data-directory.server";
import {
  DEVELOPMENT_SERVER,
  type Environment,
  env,
  inheritedSockets,
  SANDBOX_STRIPE,
  setEnvironment,
} from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";
import { warmUpPasswords } from "~/features/accounts/password.server";
import { startBackups } from "~/features/backup/backup-timer.server";
import { loadPriceOnSale } from "~/features/billing/load-price-on-sale.server";
import { startReconciliation } from "~/features/billing/reconcile.server";
import { reportLiveProblem } from "~/features/billing/stripe-site.server";
import { WEBHOOK_EVENTS } from "~/features/billing/webhook.server";
import { startSiteWatch } from "~/features/checks/site-watch.server";
import { setBookFilesFolder } from "~/features/library/book/book-files.server";
import { startEditionWatch } from "~/features/library/importer/watch-edition.server";
import { startAnnouncingNewTexts } from "~/features/library/new-texts/announce-new-texts.server";
import { startMailWorker } from "~/features/mail/mail-worker.server";
import { PREMIUM_PRICE } from "~/features/membership/premium-price";
import { startResumingDeletions } from "~/features/my-account/resume-deletions.server";
import { prepareIssue } from "~/features/newsletter/issue-mail.server";
import { fillUnsubscribeTokens } from "~/features/newsletter/unsubscribe-token.server";
import { VisitorCounter } from "~/features/statistics/visitor-counter.server";
import { checkSessionSecret } from "~/http/session-secret-check.server";
import { sessionSecrets } from "~/http/session-secrets.server";
import { exposeFigures } from "~/observability/figures.server";
import { log } from "~/observability/log.server";
import { exposeGauge } from "~/observability/metrics.server";
import { setStopping } from "~/observability/readiness.server";
import { BOOK_FILES, projectRoot, SAMPLE_EDITION } from "~/project-root.server";
import type { startStripeSandbox as StartStripeSandbox } from "~/sandbox/stripe/server.server";
import { startCleanUp } from "./clean-up.server";
import { explainListenError } from "./http-server.server";
import { listeningHosts, listenOn } from "./loopback.server";
import { MAIL_COMPOSERS } from "./mail-composers.server";
import { openDatabase } from "./open-database.server";
import { createSite } from "./site.server";
import { logStartSummary } from "./start-summary.server";

/** How long requests in flight at a stop may take to finish, in milliseconds. */
const STOP_TIMEOUT_MS = 10_000;

/** How long mail being sent at a stop may take to finish, in milliseconds. */
const MAIL_TIMEOUT_MS = 5_000;

/**
 * How long a start in progress at a stop may take to reach a point where it can be aborted, in milliseconds.
 */
const START_TIMEOUT_MS = 9_000;

/** How long after an uncaught error the process exits even if the stop has not finished, in milliseconds. */
const UNCAUGHT_ERROR_TIMEOUT_MS = 20_000;

/** Longer than proxies keep idle connections, so that none is closed here just as a proxy reuses it. */
const KEEP_ALIVE_BEHIND_PROXY_MS = 75_000;

/** How long a proxy may still send requests on connections that are open at a stop, in milliseconds. */
const DRAIN_TIMEOUT_MS = 1_000;

type Options = {
  /** Variables that override those of the process. */
  variables?: Record<string, string>;
  onReady?: (environment: Environment) => void;
};

/** A service that was started and must be stopped; `isOrderly` is false after a failure. */
type Started = { name: string; stop: (isOrderly: boolean) => Promise<void> };

/**
 * Runs the site until SIGTERM, SIGINT or SIGHUP, then stops what it started and exits with 0; an uncaught error stops
 * it the same way, with 1. Throws an OperatorError for what the operator can fix: variables, ports, the data
 * directory, the database.
 */
export async function serve({ variables = {}, onReady }: Options = {}): Promise<void> {
  setEnvironment(variables);
  const settings = env();
  const started: Started[] = [];
  const ending = new AbortController();
  const starting = start(settings, started, ending.signal);
  stopOnSignalOrError(started, starting, ending);

  try {
    await starting;
  } catch (error) {
    // an aborted start is cleaned up by the stop that aborted it
    if (ending.signal.aborted) return;
    await stopAll(started, false);
    throw error;
  }
  onReady?.(settings);
  if (DEVELOPMENT_SERVER) {
    await broadcastDevReady(build as unknown as ServerBuild, DEVELOPMENT_SERVER);
  }
}

/** Starts the services one by one; each is in `started` as soon as it needs stopping. */
async function start(
  settings: Environment,
  started: Started[],
  signal: AbortSignal,
): Promise<void> {
  const inherited = inheritedSockets();
  const http = await listenOn(
    settings.PORT,
    settings.HOST,
    {
      // all connections then come from the proxy, which reuses them for other visitors
      ...(settings.TRUST_PROXY !== 0 && {
        keepAliveTimeout: KEEP_ALIVE_BEHIND_PROXY_MS,
        isBehindProxy: true,
      }),
      ...((settings.TRUST_PROXY !== 0 || inherited.length > 0) && {
        drainTimeout: DRAIN_TIMEOUT_MS,
      }),
    },
    inherited,
  );
  const stopListening = () => {
    setStopping();
    return http.close(STOP_TIMEOUT_MS);
  };
  started.push({ name: "port", stop: stopListening });
  exposeGauge("http_connections", "Open connections, busy or idle", http.connections);
  exposeFigures();

  sessionSecrets();
  const database = await openDatabase("serve", signal);
  started.push({ name: "database", stop: () => database.close() });
  await checkSessionSecret();
  await fillUnsubscribeTokens();
  const mail = startMailWorker({ composers: MAIL_COMPOSERS, issueSource: prepareIssue });
  started.push({ name: "mail", stop: () => mail.stop(MAIL_TIMEOUT_MS) });
  await warmUpPasswords();
  signal.throwIfAborted();
  if (settings.SANDBOX) started.push(await startSandbox(settings, settings.SANDBOX));
  if (settings.STRIPE && !settings.SANDBOX) {
    if (isLiveKey(settings.STRIPE.secretKey)) await reportLiveProblem();
    const stopPriceLookup = await loadPriceOnSale();
    started.push({ name: "price look-up", stop: async () => stopPriceLookup() });
    signal.throwIfAborted();
  }
  if (settings.STRIPE) started.push({ name: "reconciliation", stop: startReconciliation() });
  started.push({ name: "clean-up", stop: startCleanUp() });
  started.push({ name: "account deletion", stop: startResumingDeletions() });
  started.push({ name: "new texts' mails", stop: startAnnouncingNewTexts() });
  started.push({ name: "backup", stop: startBackups() });
  started.push({ name: "operator's watch", stop: startSiteWatch() });
  const visitors = new VisitorCounter();
  started.push({ name: "visitor counts", stop: visitors.start() });
  setBookFilesFolder(join(projectRoot(), BOOK_FILES));
  const stopWatchingEdition = startEditionWatch({
    folder: settings.CONTENT_DIR,
    isFolderSet: settings.IS_CONTENT_DIR_SET,
    sampleFolder: join(projectRoot(), SAMPLE_EDITION),
  });
  started.push({ name: "edition", stop: stopWatchingEdition });
  // stopped first, because requests in flight need the services above
  started.push({ name: "web server", stop: stopListening });

  signal.throwIfAborted();
  await http.serve(createSite(projectRoot(), visitors));
  log().info({ port: http.port, publicUrl: settings.PUBLIC_URL }, "ready");
  logStartSummary(settings, http.port);
}

async function startSandbox(
  settings: Environment,
  { port, origin, latencyMs }: NonNullable<Environment["SANDBOX"]>,
): Promise<Started> {
  // a separate bundle, which a site with real payments never loads
  const built = pathToFileURL(join(projectRoot(), "build/sandbox.js"));
  const { startStripeSandbox }: { startStripeSandbox: typeof StartStripeSandbox } = await import(
    built.href
  );
  const sandbox = await startStripeSandbox({
    port,
    hosts: listeningHosts(settings.HOST),
    publicOrigin: origin,
    ownHost: settings.OWN_HOST,
    stateFile: join(dataDirectory(), "stripe-sandbox.json"),
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecret: SANDBOX_STRIPE.webhookSecret,
    webhookUrl: `http://${settings.OWN_HOST}:${settings.PORT}/webhooks/stripe`,
    webhookEvents: [...WEBHOOK_EVENTS],
    price: {
      id: SANDBOX_STRIPE.priceId,
      productId: SANDBOX_STRIPE.productId,
      unitAmount: PREMIUM_PRICE.unitAmount,
      currency: PREMIUM_PRICE.currency,
      interval: PREMIUM_PRICE.interval,
    },
    latencyMs,
    log: ({ msg, ...facts }) => log().debug(facts, `the local Stripe: ${msg}`),
  }).catch((error: NodeJS.ErrnoException) => {
    throw explainListenError(error, port, settings.HOST);
  });
  return { name: "the local Stripe", stop: () => sandbox.close() };
}

/**
 * Stops the process gracefully, once. The exit code is 0 after a signal, and 1 after an uncaught exception or unhandled
 * rejection, which leaves the state in memory unreliable.
 */
function stopOnSignalOrError(
  started: Started[],
  starting: Promise<void>,
  ending: AbortController,
): void {
  const end = (code: 0 | 1) => {
    // Ctrl-C can arrive twice: from the terminal and from a parent process that forwards it
    if (ending.signal.aborted) return;
    ending.abort();
    void pTimeout(Promise.allSettled([starting]), {
      milliseconds: START_TIMEOUT_MS,
      message: false,
    })
      .then(() => stopAll(started, code === 0))
      .then((clean) => process.exit(clean ? code : 1));
  };
  const stopOnSignal = (signal: NodeJS.Signals) => {
    if (!ending.signal.aborted) log().info({ signal }, "stopping");
    end(0);
  };
  // SIGHUP comes from a terminal that is closed
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stopOnSignal);
  // unhandled rejections arrive here too
  process.on("uncaughtException", (error, origin) => {
    log().fatal({ err: error, origin }, "stopping after an uncaught error");
    end(1);
    setTimeout(() => process.exit(1), UNCAUGHT_ERROR_TIMEOUT_MS).unref();
  });
}

/** Stops services in reverse order of starting; false if one could not be stopped. */
async function stopAll(started: Started[], isOrderly: boolean): Promise<boolean> {
  let clean = true;
  for (const { name, stop } of started.splice(0).reverse()) {
    try {
      await stop(isOrderly);
    } catch (error) {
      clean = false;
      log().error({ err: error }, `the ${name} could not be stopped`);
    }
  }
  return clean;
}
