import { withAsciiDomain } from "~/environment/email-address.server";
import { addSubscriber, describeListing } from "~/features/newsletter/add-subscriber.server";
import { consentSourceSchema } from "~/features/newsletter/consent-source";
import { exportSubscribers } from "~/features/newsletter/export-subscribers.server";
import { formatCount } from "~/features/newsletter/format-count";
import {
  describeImport,
  type ImportProgress,
  importSubscribers,
} from "~/features/newsletter/import-subscribers.server";
import { changeSuppressions } from "~/features/newsletter/suppress-listed.server";
import { OperatorError } from "~db/operator-error";
import {
  countSubscriberList,
  countSubscribers,
  findNewestSubscribers,
  type SubscriberGroup,
} from "~db/queries/subscriber-lists";
import { suppressAddresses } from "~db/queries/suppressed-addresses";
import { SUPPRESSION_REASONS } from "~db/suppression-reasons";
import { ask } from "./ask.server";
import { note, print, printCount, whileRead, writeOut } from "./output.server";
import { readLimit, requireEmail, shownEmail } from "./parameters.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { exportList as export, importFile as import };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days in which subscribers count as new in the statistics, and the most sources that are listed there. */
const NEW_DAYS = 30;
const MAX_SOURCES = 20;

/** Minimum time between two lines of progress, in milliseconds. */
const PROGRESS_INTERVAL_MS = 5_000;

type ListOptions = {
  limit?: string;
  match?: string;
  unconfirmed?: boolean;
  suppressed?: boolean;
};

/** `subscribers list`: the newest addresses, when they joined, and where their consent comes from. */
export async function list(options: ListOptions): Promise<void> {
  const { limit: limitText = "20", unconfirmed, suppressed } = options;
  const match = withAsciiDomain(options.match ?? "");
  if (unconfirmed && suppressed) {
    throw new OperatorError("Choose one of --unconfirmed and --suppressed.");
  }
  const limit = readLimit(limitText);
  const group: SubscriberGroup = unconfirmed
    ? "unconfirmed"
    : suppressed
      ? "suppressed"
      : "reached";
  await withDatabase(async () => {
    const found = await findNewestSubscribers({ group, match, limit });
    for (const { email, createdAt, consentSource, suppression } of found) {
      const why = suppression ? SUPPRESSION_REASONS[suppression].words : nameSource(consentSource);
      print([shownEmail(email), createdAt.toISOString().slice(0, 10), why].join("\t"));
    }
    const count = await countSubscribers({ group, match });
    note(
      found.length < count
        ? `${formatCount(found.length)} of ${formatCount(count)}, the newest; see more with --limit, or all with 'subscribers export'`
        : `${formatCount(count)} in all`,
    );
  });
}

/** `subscribers add`: adds one address as confirmed. */
export async function add(address: string, options: { source?: string }): Promise<void> {
  const email = requireEmail(address);
  const source = await requireSource(
    options.source,
    "How did its owner agree to get the newsletter?",
  );
  await withDatabase(async () => {
    const outcome = await addSubscriber(email, source);
    const sentence = `${shownEmail(email)} ${describeListing(outcome)}`;
    if (outcome.kind === "suppressed") throw new OperatorError(sentence);
    print(sentence);
  });
}

/** `subscribers remove`: deletes one address from the list, and keeps it out of imports. */
export async function remove(address: string): Promise<void> {
  const email = requireEmail(address);
  await withDatabase(async () => {
    const { deleted } = await suppressAddresses([email], "unsubscribed");
    const done = deleted > 0 ? "was removed from the list" : "was not on the list";
    print(`${shownEmail(email)} ${done}; it stays out until its owner subscribes on the site.`);
  });
}

/** `subscribers stats`: how many addresses there are, and where they come from. */
export async function stats(): Promise<void> {
  await withDatabase(async () => {
    const since = new Date(Date.now() - NEW_DAYS * DAY_MS);
    const counts = await countSubscriberList({ since, maxSources: MAX_SOURCES });
    const { suppressed } = counts;
    printCount("get the newsletter", counts.reached);
    printCount(`  joined in the last ${NEW_DAYS} days`, counts.joinedSince);
    for (const { source, count } of counts.sources) printCount(`  ${nameSource(source)}`, count);
    printCount("not confirmed", counts.unconfirmed);
    printCount("suppressed after a hard bounce", suppressed["hard-bounce"]);
    printCount("suppressed as listed", suppressed.listed);
    printCount("suppressed after a complaint", suppressed.complaint);
    printCount("unsubscribed, and kept out of imports", suppressed.unsubscribed);
  });
}

type BounceOptions = { complaint?: boolean; lift?: boolean };

/** `subscribers bounce`: suppresses a file's addresses, or lifts their suppression. */
export async function bounce(file: string, { complaint, lift }: BounceOptions): Promise<void> {
  if (complaint && lift) throw new OperatorError("Choose one of --complaint and --lift.");
  const change = complaint ? "complaint" : lift ? "lift" : "listed";
  await withDatabase(async () => {
    const { changed, deleted, addresses, refused, report } = await changeSuppressions(file, change);
    const done = change === "lift" ? "no longer suppressed" : "newly suppressed";
    print(`${formatCount(changed)} ${done}, of ${formatCount(addresses)} in the file`);
    if (complaint) print(`${formatCount(deleted)} removed from the list`);
    printRefusals(refused, report);
  });
}

type ImportOptions = { source?: string; dryRun?: boolean };

/** `subscribers import`: adds a file's addresses as confirmed, but for those that it says not to mail. */
async function importFile(file: string, options: ImportOptions): Promise<void> {
  const { dryRun: isDryRun = false } = options;
  const question =
    "Where does this list come from, and how did its people agree to get the newsletter?";
  const source = isDryRun ? "" : await requireSource(options.source, question);
  await withDatabase(async () => {
    const onProgress = progressReporter();
    const result = await importSubscribers(file, { source, isDryRun, onProgress });
    if (isDryRun) note("A dry run: nothing was written. An import would have this result:");
    if (result.encoding === "windows-1252") {
      note(`${file} is not valid UTF-8, and was read as windows-1252.`);
    }
    for (const [count, what] of describeImport(result)) print(`${formatCount(count)} ${what}`);
    printReport(result.report);
  });
}

/** `subscribers export`: the whole list with each address's status as CSV, on standard output. */
async function exportList(): Promise<void> {
  await withDatabase(() => whileRead(() => exportSubscribers(writeOut)));
}

/** The source of consent; the operator is asked for it on a terminal if it is not given. */
async function requireSource(given: string | undefined, question: string): Promise<string> {
  const answer = given ?? (await ask(question));
  if (answer === null) {
    throw new OperatorError(
      "Say where the consent comes from, as in --source 'sign-up sheet at the book fair, May 2026'.",
    );
  }
  const { success, data, error } = consentSourceSchema.safeParse(answer);
  if (!success) {
    throw new OperatorError(`--source: ${error.issues[0]?.message}; wanted one line that says it.`);
  }
  return data;
}

/** Reports how far an import is, on standard error, every few seconds. */
function progressReporter(): (progress: ImportProgress) => void {
  let reportedAt = Date.now();
  return ({ bytesRead, size, records }) => {
    if (Date.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = Date.now();
    note(`${Math.floor((100 * bytesRead) / size)} %, ${formatCount(records)} records`);
  };
}

function printRefusals(refused: number, report: string | null): void {
  if (refused > 0) print(`${formatCount(refused)} refused`);
  printReport(report);
}

function printReport(report: string | null): void {
  if (report) print(`What was left out, and why: ${report}`);
}

/** The source of consent in words for the operator; null is the site's own form. */
const nameSource = (source: string | null) => source ?? "the site's form";
