import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { redactAddresses } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import { type Check, type Finding, warning } from "./answer";
import { checkBackups } from "./check-backups.server";
import { checkClock } from "./check-clock.server";
import { checkContent } from "./check-content.server";
import { checkDataDirectory, checkDisks } from "./check-data-directory.server";
import { checkDatabase, type Opening, openingAnswer } from "./check-database.server";
import { checkMailQueue, checkMailServer } from "./check-mail.server";
import { checkMatters } from "./check-matters.server";
import { checkRelease } from "./check-release";
import { checkSettings, invalidSettings } from "./check-settings.server";
import { checkSite } from "./check-site.server";
import { checkPayments } from "./check-stripe.server";
import type { Network } from "./network.server";

/** How long one check, opening the database and closing it may take, in milliseconds. */
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
  /** How long a session of the database may hold others up, in seconds. */
  stuckSeconds?: number;
  /** Node.js's version. */
  node?: string;
};

/**
 * Checks everything that a running site depends on, and goes on where something is broken. Changes nothing but for a
 * small file that it writes into DATA_DIR and removes. Takes no longer than half a minute.
 */
export async function examineSite(examination: Examination): Promise<Finding[]> {
  const { release, network = {}, stuckSeconds, node } = examination;
  const releaseCheck = { area: "release", ask: () => checkRelease(release, node) };
  try {
    env();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const ask = () => invalidSettings(error.message);
    return runChecks([{ area: "settings", ask }, releaseCheck]);
  }
  // before the database is opened, which would close DATA_DIR to others
  const before = await runChecks([
    { area: "settings", ask: checkSettings },
    { area: "data", ask: checkDataDirectory },
  ]);
  const opening = await openInTime(examination.open);
  const isOpen = opening.kind === "open";
  const findings = await runChecks([
    { area: "disk", ask: checkDisks },
    {
      area: "database",
      ask: () => (isOpen ? checkDatabase(stuckSeconds) : [openingAnswer(opening)]),
    },
    { area: "site", ask: () => checkSite(network) },
    { area: "clock", ask: () => checkClock(network, isOpen) },
    { area: "mail", ask: () => checkMailServer(network) },
    {
      area: "mail queue",
      ask: () =>
        isOpen ? checkMailQueue() : [warning("database", "not checked without the database")],
    },
    { area: "payments", ask: () => checkPayments(isOpen) },
    { area: "database", ask: () => (isOpen ? checkMatters() : []) },
    { area: "content", ask: checkContent },
    { area: "backups", ask: checkBackups },
    releaseCheck,
  ]);
  // a statement that still waits must not delay the report
  if (isOpen) await pTimeout(opening.close(), { milliseconds: CLOSING_MS, message: false });
  return [...before, ...findings];
}

/** Asks all checks at the same time. One that fails, or takes too long, is a finding of its own. */
async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings = await Promise.all(checks.map(runCheck));
  return findings.flat();
}

async function runCheck({ area, ask }: Check): Promise<Finding[]> {
  const failed = (found: string, advice: string) => [warning("check", found, advice)];
  const answers = await pTimeout((async () => ask())(), {
    milliseconds: CHECK_MS,
    fallback: () =>
      failed(`not done within ${CHECK_MS / 1_000} s`, "Run 'doctor' again when less is going on."),
  }).catch(({ message }: Error) =>
    failed(
      `failed: ${message.split("\n")[0]}`,
      "Run 'doctor' again; if it stays, report it as a bug.",
    ),
  );
  // texts from outside, such as a server's error, may quote an e-mail address
  return answers.map((answer) => ({ area, ...answer, found: redactAddresses(answer.found) }));
}

async function openInTime(open: Examination["open"]): Promise<Opening> {
  const message = `The database could not be opened within ${OPENING_MS / 1_000} s.`;
  try {
    const opened = await pTimeout(open(), {
      milliseconds: OPENING_MS,
      message: new OperatorError(message),
    });
    return opened ? { kind: "open", close: opened.close } : { kind: "none" };
  } catch (error) {
    return { kind: "failed", error };
  }
}
