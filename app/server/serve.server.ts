import { join } from "node:path";
import { type Environment, env, SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { warmUpPasswords } from "~/features/accounts/password.server";
import { startReconciliation } from "~/features/billing/reconcile.server";
import { closeMail } from "~/features/mail/background-mail.server";
import { startStripeSandbox } from "~/sandbox/stripe/server.server";
import { startHousekeeping } from "./housekeeping.server";
import { explain, listen } from "./http-server.server";
import { log } from "./log.server";
import { openDatabase } from "./open-database.server";
import { projectRoot } from "./project-root.server";
import { sessionSecrets } from "./session-secrets.server";
import { createSite } from "./site.server";

/** How long requests that are under way at a stop may take, in milliseconds. */
const STOP_PATIENCE_MS = 10_000;

/** How long mail that is being sent may take then, in milliseconds. */
const MAIL_PATIENCE_MS = 5_000;

type Options = {
  /** Variables that count over those of the process. */
  variables?: Record<string, string>;
  onReady?: (environment: Environment) => void;
};

/** A part that was started and must be stopped, in the reverse order. */
type Started = { name: string; stop: () => Promise<void> };

/**
 * Runs the site until SIGTERM or SIGINT, then stops what it started and exits with 0. Throws an
 * OperatorError for what the operator can mend: variables, ports, the data directory, the database.
 */
export async function serve({ variables = {}, onReady }: Options = {}): Promise<void> {
  setEnvironment(variables);
  const settings = env();
  const started: Started[] = [];
  stopOnSignal(started);

  try {
    const http = await listen(settings.PORT, settings.HOST);
    const stopListening = () => http.close(STOP_PATIENCE_MS);
    started.push({ name: "port", stop: stopListening });

    sessionSecrets();
    const database = await openDatabase("serve");
    started.push({ name: "database", stop: () => database.close() });
    started.push({ name: "mail", stop: () => closeMail(MAIL_PATIENCE_MS) });
    await warmUpPasswords();
    if (settings.SANDBOX) started.push(await startSandbox(settings, settings.SANDBOX));
    if (settings.STRIPE) started.push({ name: "reconciliation", stop: startReconciliation() });
    started.push({ name: "housekeeping", stop: startHousekeeping() });
    // first of all to stop: what still runs needs the parts before it
    started.push({ name: "web server", stop: stopListening });

    http.serve(createSite(projectRoot()));
    log().info({ port: http.port, publicUrl: settings.PUBLIC_URL }, "ready");
    onReady?.(settings);
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}

async function startSandbox(
  settings: Environment,
  { port, origin }: { port: number; origin: string },
): Promise<Started> {
  const sandbox = await startStripeSandbox({
    port,
    host: settings.HOST,
    publicOrigin: origin,
    stateFile: join(settings.DATA_DIR, "stripe-sandbox.json"),
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecret: SANDBOX_STRIPE.webhookSecret,
    webhookUrl: `http://${settings.OWN_HOST}:${settings.PORT}/webhooks/stripe`,
    price: {
      id: SANDBOX_STRIPE.priceId,
      productId: SANDBOX_STRIPE.productId,
      unitAmount: 999,
      currency: "usd",
      interval: "month",
    },
    log: ({ msg, ...facts }) => log().debug(facts, `Stripe sandbox: ${msg}`),
  }).catch((error: NodeJS.ErrnoException) => {
    throw explain(error, port, settings.HOST);
  });
  return { name: "Stripe sandbox", stop: () => sandbox.close() };
}

function stopOnSignal(started: Started[]): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    // a terminal's Ctrl-C can arrive twice: from the terminal itself and from a parent that forwards it
    if (stopping) return;
    stopping = true;
    log().info({ signal }, "stopping");
    void stopAll(started).then((clean) => process.exit(clean ? 0 : 1));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** Stops parts last started first; false if one of them could not be stopped. */
async function stopAll(started: Started[]): Promise<boolean> {
  let clean = true;
  for (const { name, stop } of started.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      clean = false;
      log().error({ err: error }, `the ${name} could not be stopped`);
    }
  }
  return clean;
}
