import {
  findListings,
  insertListedSubscribers,
  type ListingOutcome,
} from "~db/queries/subscriber-lists";
import { suppressAddresses } from "~db/queries/suppressed-addresses";
import { SUPPRESSION_REASONS, type SuppressionReason } from "~db/suppression-reasons";
import type { Encoding } from "./address-file/encoding.server";
import {
  type AddressBatch,
  type AddressFile,
  type ListedAddress,
  openAddressFile,
  type RefusedRecord,
} from "./address-file/read-address-file.server";
import { RefusalReport } from "./address-file/refusal-report.server";
import { type Standing, strongest } from "./address-file/status-columns.server";
import { unsubscribeTokensOf } from "./unsubscribe-token.server";

/** How much of a file has been read. */
export type ImportProgress = { bytesRead: number; size: number; records: number };

type Counts = {
  /** Subscribers added, and existing ones that became confirmed. */
  added: number;
  confirmed: number;
  /** Addresses that were already on the list, and repeated ones in the file. */
  known: number;
  repeated: number;
  /** Valid addresses on the suppression list; also listed in the report. */
  suppressed: number;
  /** Records without a valid address. */
  refused: number;
};

/** What an import of a list did, or would do. */
export type ListResult = Counts & {
  encoding: Encoding;
  /** How many addresses the file says not to mail, by what it says. */
  notToMail: Record<NotToMail, number>;
  /** Of these, subscribers who entered their address on the site, and so stay. */
  stayed: number;
};

export type ImportResult = ListResult & {
  /** The file that lists the refused records; null if there are none. */
  report: string | null;
};

/** What a file says of addresses not to mail. */
export type NotToMail = Exclude<Standing, "kept">;

type Options = {
  source: string;
  /** Counts what would happen, and writes nothing to the database. */
  isDryRun: boolean;
  onProgress?: (progress: ImportProgress) => void;
};

/** Why an address is suppressed that has left another program's list. */
const REASONS: Partial<Record<NotToMail, SuppressionReason>> = {
  left: "unsubscribed",
  bounced: "listed",
  complained: "complaint",
};

/**
 * Imports the addresses of a file, as `importList` does, and lists its refused records in a file beside it. Throws an
 * OperatorError if the file is not a list of addresses, or the report cannot be written.
 */
export async function importSubscribers(file: string, options: Options): Promise<ImportResult> {
  const list = await openAddressFile(file, { readsStatus: true });
  const report = await RefusalReport.start(file);
  try {
    const result = await importList(list, {
      ...options,
      onRefused: (refused) => report.write(refused),
    });
    return { ...result, report: result.suppressed + result.refused > 0 ? report.path : null };
  } finally {
    await report.close();
  }
}

/**
 * Imports a list's addresses as confirmed and stores the source and date of their consent. Those that the file says not
 * to mail are suppressed instead, unless their owners entered them on this site. The whole file is read first, so
 * nothing is written if a status is not understood. Each batch commits separately, so an interrupted import can simply
 * be run again. Memory grows with the addresses not to mail alone; in a dry run, with all. `onRefused` gets the records
 * without a valid address and the suppressed ones, with reasons. Throws an OperatorError if it is not a list of addresses.
 */
export async function importList(
  { encoding, size, batches }: AddressFile,
  { source, isDryRun, onProgress, onRefused }: Options & Pick<Run, "onRefused">,
): Promise<ListResult> {
  const standings = await findStandings(batches);
  const run: Run = {
    source,
    isDryRun,
    onRefused,
    standings,
    now: new Date(),
    stayed: new Set(),
    counted: new Set(),
    counts: { added: 0, confirmed: 0, known: 0, repeated: 0, suppressed: 0, refused: 0 },
  };
  let records = 0;
  for await (const batch of batches) {
    await importBatch(batch, run);
    if (!isDryRun) run.counted.clear();
    records += batch.addresses.length + batch.refused.length;
    onProgress?.({ bytesRead: batch.bytesRead, size, records });
  }
  const notToMail = { left: 0, bounced: 0, complained: 0, unconfirmed: 0 };
  for (const standing of standings.values()) notToMail[standing] += 1;
  return { encoding, ...run.counts, notToMail, stayed: run.stayed.size };
}

/** What the file says of addresses that are not added. */
const NOT_TO_MAIL: Record<NotToMail, string> = {
  left: "unsubscribed according to the file, and not added",
  bounced: "bounced according to the file, and not added",
  complained: "complained according to the file, and not added",
  unconfirmed: "not confirmed, or paused, according to the file, and not added",
};

/** An import's result for the operator and the authors: numbers with words; of most kinds, only if there are any. */
export function describeImport(result: ListResult): [count: number, what: string][] {
  const kinds: [number, string][] = [
    [result.confirmed, "already on the list, and now confirmed"],
    [result.known, "already on the list"],
    [result.repeated, "repeated in the file"],
    ...Object.entries(result.notToMail).map(([standing, count]): [number, string] => [
      count,
      NOT_TO_MAIL[standing as NotToMail],
    ]),
    [result.stayed, "of these subscribed on this site, and stay"],
    [result.suppressed, "suppressed, and not added"],
    [result.refused, "refused"],
  ];
  const isTold = ([count, what]: [number, string]) => count > 0 || what === "already on the list";
  return [[result.added, "added"], ...kinds.filter(isTold)];
}

/** The standing of each address that must not be mailed, over all rows of a file. */
async function findStandings(
  batches: AsyncIterable<AddressBatch>,
): Promise<Map<string, NotToMail>> {
  const standings = new Map<string, NotToMail>();
  for await (const { addresses } of batches) {
    for (const { email, standing } of addresses) {
      if (standing === "kept") continue;
      standings.set(email, strongest(standings.get(email) ?? standing, standing));
    }
  }
  return standings;
}

type Run = Pick<Options, "source" | "isDryRun"> & {
  onRefused: (refused: RefusedRecord[]) => Promise<void>;
  now: Date;
  standings: ReadonlyMap<string, NotToMail>;
  stayed: Set<string>;
  /** Addresses counted already: of this batch, or in a dry run of the whole file, since nothing else remembers them. */
  counted: Set<string>;
  counts: Counts;
};

/** Imports a batch, and passes on its refused records in the file's order. */
async function importBatch({ addresses, refused }: AddressBatch, run: Run): Promise<void> {
  const { standings, counts, counted } = run;
  counts.refused += refused.length;
  await suppressLeft(addresses, run);
  const outcomes = await listKept(
    addresses.filter(({ email }) => !standings.has(email)),
    run,
  );
  const suppressed: RefusedRecord[] = [];
  for (const { line, email } of addresses) {
    const outcome = outcomes.get(email);
    if (!outcome) continue;
    if (outcome.kind === "suppressed") {
      const reason = `suppressed: ${SUPPRESSION_REASONS[outcome.reason].words}`;
      suppressed.push({ line, value: email, reason });
      counts.suppressed += 1;
    } else {
      counts[counted.has(email) ? "repeated" : outcome.kind] += 1;
      counted.add(email);
    }
  }
  await run.onRefused([...refused, ...suppressed].toSorted((one, other) => one.line - other.line));
}

/** Suppresses the addresses of a batch that the file says not to mail, but for subscribers who stay. */
async function suppressLeft(addresses: ListedAddress[], run: Run): Promise<void> {
  const { standings, stayed, isDryRun } = run;
  const emails = distinct(addresses.filter(({ email }) => standings.has(email)));
  if (emails.length === 0) return;
  const found = await findListings(emails);
  for (const email of emails) if (found.get(email)?.isOwn) stayed.add(email);
  if (isDryRun) return;
  for (const [standing, reason] of Object.entries(REASONS)) {
    const suppressed = emails.filter(
      (email) => standings.get(email) === standing && !stayed.has(email),
    );
    if (suppressed.length > 0) await suppressAddresses(suppressed, reason);
  }
}

/** Adds the addresses of a batch that may be mailed, or in a dry run finds what would become of them. */
async function listKept(
  addresses: ListedAddress[],
  { source, now, isDryRun }: Run,
): Promise<Map<string, ListingOutcome>> {
  const emails = distinct(addresses);
  if (isDryRun) {
    const found = await findListings(emails);
    return new Map(
      [...found].map(([email, { reason, kind }]) => [
        email,
        reason === null ? { kind } : { kind: "suppressed", reason },
      ]),
    );
  }
  const consents = new Map(addresses.map(({ email, consentAt }) => [email, consentAt]));
  const tokens = await unsubscribeTokensOf(emails);
  return insertListedSubscribers(
    emails.map((email, index) => ({
      email,
      unsubscribeToken: tokens[index] ?? "",
      consentAt: consents.get(email) ?? null,
    })),
    { source, now },
  );
}

const distinct = (addresses: ListedAddress[]) => [...new Set(addresses.map(({ email }) => email))];
