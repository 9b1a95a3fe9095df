import { randomUUID } from "node:crypto";
import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { holdsEdition, listFolder } from "~/features/library/importer/edition-folder.server";
import { BrokenEdition, describeProblem } from "~/features/library/importer/edition-problem";
import { checkFolder } from "~/features/library/importer/import-edition.server";
import { formatCount } from "~/features/newsletter/format-count";
import { sampleParts } from "~/features/site/sample-site";
import { redactAddresses } from "~/observability/log.server";
import { databaseErrorCode, UNDEFINED_TABLE } from "~db/database-errors";
import { OperatorError } from "~db/operator-error";
import { findOpenAlerts } from "~db/queries/operator-alerts";
import { readHealthFacts } from "~db/queries/operator-facts";
import { type AlertReading, alertOf, readAlerts } from "./alerts.server";
import { type Answer, type Check, type Finding, ok, problem, warning } from "./answer";
import { checkBackups } from "./check-backups.server";
import { checkClock } from "./check-clock.server";
import { checkDataDirectory, checkDisks } from "./check-data-directory.server";
import { checkDatabase, type Opening, openingAnswer } from "./check-database.server";
import { checkMailQueue, checkMailServer } from "./check-mail.server";
import { checkSite } from "./check-site.server";
import { checkPayments } from "./check-stripe.server";
import { debianReleaseOfNode } from "./debian-node.server";
import type { Network } from "./network.server";

/** Timeout of one check, of opening the database and of closing it, in milliseconds. */
const CHECK_MS = 12_000;
const OPENING_MS = 12_000;
const CLOSING_MS = 3_000;

/** What `doctor` needs from the program it is part of. */
export type Examination = {
  /** The program's release. */
  release: string;
  /** Opens the site's database for this process, without migrating it; null if there is none yet. */
  open: () => Promise<{ close: () => Promise<void> } | null>;
  network?: Network;
  /** How long a database session may block others, in seconds. */
  stuckSeconds?: number;
  /** The version of Node.js. */
  node?: string;
};

/**
 * Checks everything that a running site depends on, and continues after failures. Takes at most half a minute. Changes
 * nothing, but writes and removes a small file in DATA_DIR.
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
  // opening the database would close DATA_DIR to others
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
    { area: "database", ask: () => (isOpen ? checkAlerts() : []) },
    { area: "content", ask: async () => [await checkEdition()] },
    { area: "backups", ask: checkBackups },
    releaseCheck,
  ]);
  // a statement that still waits must not delay the report
  if (isOpen) await pTimeout(opening.close(), { milliseconds: CLOSING_MS, message: false });
  return [...before, ...findings];
}

/** Runs all checks concurrently. A failure or timeout becomes a finding. */
async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings = await Promise.all(checks.map(runCheck));
  return findings.flat();
}

async function runCheck({ area, ask }: Check): Promise<Finding[]> {
  const failed = (found: string, advice: string) => [warning("check", found, advice)];
  const answers = await pTimeout((async () => ask())(), {
    milliseconds: CHECK_MS,
    fallback: () =>
      failed(
        `not done within ${CHECK_MS / 1_000} s`,
        "Run 'doctor' again when the machine is less busy.",
      ),
  }).catch(({ message }: Error) =>
    failed(
      `failed: ${message.split("\n")[0]}`,
      "Run 'doctor' again. If it happens again, report it as a bug.",
    ),
  );
  // external texts, such as a server's error, may quote an email address
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

/** Returns findings for alerts that `doctor` has no check for, in the words of the alert mails. */
async function checkAlerts(): Promise<Finding[]> {
  return (await readAll()).flatMap(({ kind, state, facts }) => {
    const alert = alertOf(kind);
    if (state !== "bad" || !alert?.shownIn) return [];
    const { area, what } = alert.shownIn;
    const { wrong, todo } = alert.words(facts);
    return [{ area, ...warning(what, wrong.replace(/\.$/, ""), todo) }];
  });
}

async function readAll(): Promise<AlertReading[]> {
  try {
    // doctor has no place or start of its own
    const facts = await readHealthFacts({ place: "", startId: randomUUID() });
    return readAlerts(facts, await findOpenAlerts(), "", new Date());
  } catch (error) {
    // a database of an earlier release has its own check
    if (databaseErrorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

const CHECK =
  "Run 'content check', which names every mistake with its line. Until they're fixed, the last good edition is served.";

/** Checks whether the edition in CONTENT_DIR can be imported. */
async function checkEdition(): Promise<Answer> {
  const what = "edition";
  const { CONTENT_DIR, IS_CONTENT_DIR_SET, SANDBOX } = env();
  try {
    if (!holdsEdition(await listFolder(CONTENT_DIR))) {
      if (IS_CONTENT_DIR_SET) {
        const found = `there is none in CONTENT_DIR ${CONTENT_DIR}`;
        return problem(what, found, "Mount or copy the edition there, or correct CONTENT_DIR.");
      }
      const found = "the sample, not yours";
      if (SANDBOX) return ok(what, found);
      return warning(what, found, `Copy your edition to ${CONTENT_DIR}: docs/writing.md.`);
    }
    const { problems, source } = await checkFolder(CONTENT_DIR);
    const [first] = problems;
    const texts = `${source.documents.length} texts, no mistakes`;
    if (!first && source.site?.isSample) {
      const found = `${texts}; the site has the sample's ${sampleParts(source.site).join(", ")}`;
      return warning(what, found, "Write a site.yml: 'content site' prints one to start from.");
    }
    if (!first) return ok(what, texts);
    const count = formatCount(problems.length, "mistake");
    return problem(what, `${count}, such as ${describeProblem(first)}`, CHECK);
  } catch (error) {
    if (error instanceof BrokenEdition) {
      return problem(what, error.message.split("\n")[0] ?? "", CHECK);
    }
    const found = `${CONTENT_DIR} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
    return problem(what, found, "Let the site's user read the folder and everything in it.");
  }
}

/** Effect and advice of settings that production needs. The checks of mail and payments cover their own. */
const MISSING: Record<string, [effect: string, advice: string]> = {
  PUBLIC_URL: [
    "visitors can't be told the site's address",
    "Set PUBLIC_URL to the address that visitors use, such as https://book.example.",
  ],
  SECURITY_CONTACT: [
    "people who find a security hole can't tell you",
    "Set SECURITY_CONTACT to an email address or a page, for /.well-known/security.txt.",
  ],
};

/** Warnings that another check gives in more detail. */
const SAID_ELSEWHERE = /^(PUBLIC_URL is https, so there is a proxy|SMTP_URL is not set)/;

/** Checks for settings that are missing, or valid but often a mistake. */
function checkSettings(): Answer[] {
  const { WARNINGS, MISSING: missing } = env();
  const answers = [
    ...missing.flatMap((name) => {
      const [effect, advice] = MISSING[name] ?? [];
      return effect ? [warning(name, `not set: ${effect}`, advice)] : [];
    }),
    ...WARNINGS.filter((text) => !SAID_ELSEWHERE.test(text)).map(adviceOf),
  ];
  return answers.length > 0 ? answers : [ok("variables", "valid, and none contradicts another")];
}

/** Parses a warning of the form `NAME is …: effect. Advice.`; the last sentence is optional. */
function adviceOf(text: string): Answer {
  const [, name = "variables", rest = text] = /^([A-Z][A-Z0-9_]+)\b ?(.*)$/s.exec(text) ?? [];
  const [found = rest, ...more] = rest.split(/(?<=\.) /);
  const advice =
    more.join(" ") ||
    /: (add .*)$/.exec(found)?.[1] ||
    "If that's intended, do nothing. Otherwise, correct or unset it and restart the site.";
  return warning(name, found.replace(/\.$/, ""), advice.charAt(0).toUpperCase() + advice.slice(1));
}

/** Returns a finding for each line of the error about invalid settings. */
function invalidSettings(message: string): Answer[] {
  return message.split("\n").map((line) => {
    const [, name = "variables", found = line, wanted] =
      /^([\w-]+): found (.*), wanted (.*?)\.?$/s.exec(line) ?? [];
    const advice = wanted ? `Set it to ${wanted}.` : "Correct it.";
    const said = wanted ? `found ${found}` : found;
    return problem(name, said, `${advice} The site won't start until then.`);
  });
}

/** End of life of each Node.js release line (https://github.com/nodejs/release#release-schedule). */
const SUPPORTED_UNTIL: Record<number, string> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

/** The newest release line known here. */
const NEWEST = 26;

/**
 * The Node.js line of each Debian release, and the end of the security team's support
 * (https://www.debian.org/releases/). Debian 12 has one that is too old for this program.
 */
const DEBIAN_NODE: Record<string, { line: number; until: string }> = {
  13: { line: 20, until: "2028-08-09" },
};

/**
 * Checks the release of the program, and whether Node.js still gets fixes: from its makers or, if `debian` is the
 * Debian release that it was packaged for, from Debian. Uses no network.
 */
export function checkRelease(
  release: string,
  node = process.versions.node,
  now = new Date(),
  debian = debianReleaseOfNode(),
): Answer[] {
  const line = Number(node.split(".")[0]);
  const packaged = debian === null ? undefined : DEBIAN_NODE[debian];
  const until = packaged?.line === line ? packaged.until : SUPPORTED_UNTIL[line];
  const isSupported = until ? now < new Date(`${until}T24:00:00Z`) : line > NEWEST;
  // odd release lines are supported for only a few months
  const found = `${node}, ${until ? `without corrections since ${until}` : "which gets no corrections for long"}`;
  return [
    ok("program", release),
    isSupported ? ok("Node.js", node) : warning("Node.js", found, "Move to Node.js 24."),
  ];
}
