import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { isLoopbackHost } from "~/environment/host-names";
import { STRIPE_API_ORIGIN } from "~/features/billing/stripe-origins.server";
import { redactAddresses } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import { readDatabaseHealth } from "~db/queries/database-health";
import { checkBackups } from "./check-backups.server";
import { type ClockDifference, differenceOf, judgeClock } from "./check-clock.server";
import { checkContent } from "./check-content.server";
import { checkDataDirectory, checkDisks } from "./check-data-directory.server";
import { checkDatabase, openingFinding } from "./check-database.server";
import { checkMailQueue, checkMailServer } from "./check-mail.server";
import { checkPayments } from "./check-payments.server";
import { checkRelease } from "./check-release";
import { checkSettings, invalidSettings } from "./check-settings.server";
import { checkSite } from "./check-site.server";
import { type AreaFinding, type Finding, warning } from "./finding";
import { LIMITS, type Limits } from "./limits";
import { askAnywhere, type Network } from "./network.server";

/** How long one check may take, and how long the database may take to open, in milliseconds. */
const CHECK_MS = 12_000;
const OPENING_MS = 12_000;
const CLOSING_MS = 3_000;

/** What the doctor needs of the program it is part of. */
export type Examination = {
  /** The program's release. */
  release: string;
  /** Opens the site's database as this process's, without migrating it; null if there is none yet. */
  open: () => Promise<{ close: () => Promise<void> } | null>;
  network?: Network;
  limits?: Partial<Limits>;
  /** Node.js's version. */
  node?: string;
};

/**
 * Checks everything that a running site depends on, all at once, and goes on where something is broken. Changes nothing
 * but for a small file that it writes into DATA_DIR and removes. Takes no longer than half a minute.
 */
export async function examineSite(examination: Examination): Promise<Finding[]> {
  const { release, network = {}, node } = examination;
  const limits = { ...LIMITS, ...examination.limits };
  try {
    env();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [
      ...inArea("settings")(invalidSettings(error.message)),
      ...inArea("release")(checkRelease(release, node)),
    ];
  }
  // before the database is opened, which would close DATA_DIR to others
  const directory = await inTime("data", async () => checkDataDirectory());
  const opening = openInTime(examination.open);
  const withDatabase = async (area: string, check: () => Promise<AreaFinding[]>) =>
    (await opening).kind === "open"
      ? inTime(area, check)
      : inArea(area)([warning("database", "not checked without the database")]);

  const groups = await Promise.all([
    inTime("settings", async () => checkSettings()),
    directory,
    inTime("disk", () => checkDisks(limits)),
    checkOpened(opening, limits),
    inTime("site", () => checkSite(network)),
    inTime("clock", async () => [judgeClock(await otherClocks(opening, network), limits)]),
    inTime("mail", () => checkMailServer(network)),
    withDatabase("mail queue", () => checkMailQueue(limits)),
    opening.then(({ kind }) => inTime("payments", () => checkPayments(kind === "open"))),
    inTime("content", checkContent),
    inTime("backups", () => checkBackups()),
    inTime("release", async () => checkRelease(release, node)),
  ]);
  const opened = await opening;
  // a statement that still waits must not delay the report
  if (opened.kind === "open")
    await pTimeout(opened.close(), { milliseconds: CLOSING_MS, message: false });
  return groups.flat();
}

/** Redacts texts from outside, such as a server's error, which may quote an e-mail address. */
const inArea = (area: string) => (findings: AreaFinding[]) =>
  findings.map((finding): Finding => ({ area, ...finding, found: redactAddresses(finding.found) }));

/** A check that fails, or takes too long, is a finding of its own. */
async function inTime(area: string, check: () => Promise<AreaFinding[]>): Promise<Finding[]> {
  const findings = await pTimeout(check(), {
    milliseconds: CHECK_MS,
    fallback: () => [
      warning(
        "check",
        `not done within ${CHECK_MS / 1_000} s`,
        "Run 'doctor' again when less is going on.",
      ),
    ],
  }).catch((error: Error) => [
    warning(
      "check",
      `failed: ${error.message.split("\n")[0]}`,
      "Run 'doctor' again; if it stays, report it as a bug.",
    ),
  ]);
  return inArea(area)(findings);
}

type Opening =
  | { kind: "open"; close: () => Promise<void> }
  | { kind: "none" }
  | { kind: "failed"; error: unknown };

async function openInTime(open: Examination["open"]): Promise<Opening> {
  try {
    const opened = await pTimeout(open(), {
      milliseconds: OPENING_MS,
      message: new OperatorError(
        `The database could not be opened within ${OPENING_MS / 1_000} s.`,
      ),
    });
    return opened ? { kind: "open", close: opened.close } : { kind: "none" };
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function checkOpened(opening: Promise<Opening>, limits: Limits): Promise<Finding[]> {
  const opened = await opening;
  const area = "database";
  if (opened.kind === "open") return inTime(area, () => checkDatabase(limits));
  return inArea(area)([
    opened.kind === "failed"
      ? openingFinding(opened.error)
      : warning(
          "server",
          "none in DATA_DIR yet",
          "Start the site, which creates it, or set DATABASE_URL.",
        ),
  ]);
}

/** The clocks of other machines, of which those that cannot be asked are left out. */
async function otherClocks(
  opening: Promise<Opening>,
  network: Network,
): Promise<ClockDifference[]> {
  const { DATABASE_URL, PUBLIC_URL, STRIPE, SANDBOX } = env();
  const ofServer = async (whose: string, origin: string) => {
    const url = new URL("/healthz", origin);
    const startedAt = Date.now();
    const { headers } = await askAnywhere(url, network);
    return differenceOf(whose, headers.date, (startedAt + Date.now()) / 2);
  };
  const ofDatabase = async () => {
    // the embedded one has this machine's clock
    if (!DATABASE_URL || (await opening).kind !== "open") return null;
    const startedAt = Date.now();
    const { now } = await readDatabaseHealth();
    return {
      whose: "the database",
      seconds: (now.getTime() - (startedAt + Date.now()) / 2) / 1_000,
    };
  };
  const asked = await Promise.allSettled([
    ofDatabase(),
    ...(isLoopbackHost(new URL(PUBLIC_URL).hostname) ? [] : [ofServer("PUBLIC_URL's", PUBLIC_URL)]),
    ...(STRIPE && !SANDBOX ? [ofServer("Stripe's", STRIPE.apiBase ?? STRIPE_API_ORIGIN)] : []),
  ]);
  return asked.flatMap((outcome) =>
    outcome.status === "fulfilled" && outcome.value ? [outcome.value] : [],
  );
}
