import { log } from "~/observability/log.server";
import {
  findAccountData,
  findDeskChangeData,
  findEmailChangeData,
  findHighlightData,
  findMailData,
  findMembershipData,
  findNoteData,
  findPaidMembershipData,
  findPasskeyData,
  findPasswordResetData,
  findPaymentEventData,
  findPictureData,
  findPodcastData,
  findProgressData,
  findSessionData,
  findSubscriptionData,
  findSuppressionData,
} from "~db/queries/account-data";

/** Rows read at once where there may be thousands. */
const PAGE = 500;

/** Maximum number of changes at the desk, of which only an author has many. */
const MOST_CHANGES = 10_000;

/** Replaces the data held about an unconfirmed address. */
const UNCONFIRMED =
  "The account’s address hasn’t been confirmed. What is held about the address alone is left out " +
  "until then: newsletter, suppression and mails.";

/** The outcome of exporting an account's data. */
export type AccountExportOutcome =
  /** A JSON file's text, in parts. */
  { kind: "opened"; parts: AsyncGenerator<string> } | { kind: "no-account" } | { kind: "failed" };

/**
 * Exports all data held about an account as JSON, in the shape of docs/privacy.md; a test covers every column. Never
 * throws, but `parts` throws after logging, so half a file is not mistaken for a whole one. No transaction stays open
 * between parts, however slowly they are read.
 */
export async function openAccountExport(userId: string): Promise<AccountExportOutcome> {
  const parts = exportAccount(userId);
  try {
    // if the database is down, fail the request, not the download
    const first = await parts.next();
    if (first.done) return { kind: "no-account" };
    return { kind: "opened", parts: withFirst(first.value, parts, userId) };
  } catch (error) {
    log().error({ err: error, userId }, "an account could not be exported");
    return { kind: "failed" };
  }
}

async function* withFirst(
  first: string,
  rest: AsyncGenerator<string>,
  userId: string,
): AsyncGenerator<string> {
  try {
    yield first;
    yield* rest;
  } catch (error) {
    log().error({ err: error, userId }, "the export of an account ended half-way");
    throw error;
  }
}

/** Yields the file in parts, none much larger than the picture; yields nothing without an account. */
async function* exportAccount(userId: string): AsyncGenerator<string> {
  const account = await findAccountData(userId);
  if (!account) return;
  const membership = await findMembershipData(userId);
  const customer = membership?.stripeCustomerId;
  const email = account.emailConfirmedAt ? account.email : null;
  yield `{\n  "exportedAt": ${toJson(new Date())}`;
  yield member("account", account);
  yield member("membership", membership);
  yield member("memberships", await findPaidMembershipData(userId));
  yield member("paymentEvents", customer ? await findPaymentEventData(customer) : []);
  const sessions = (after: After) => findSessionData(userId, { afterId: after, limit: PAGE });
  yield* list(
    "sessions",
    inPages(sessions, ({ id }) => id),
  );
  yield member("passkeys", await findPasskeyData(userId));
  yield member("passwordReset", await findPasswordResetData(userId));
  yield member("emailChanges", await findEmailChangeData(userId));
  yield member("withheld", email === null ? UNCONFIRMED : null);
  yield member("newsletter", email && (await findSubscriptionData(email)));
  yield member("suppression", email && (await findSuppressionData(email)));
  yield member("mails", email === null ? [] : await findMailData(email));
  yield member("podcast", await findPodcastData(userId));
  const progress = (after: After) => findProgressData(userId, { afterSlug: after, limit: PAGE });
  yield* list(
    "readingProgress",
    inPages(progress, ({ slug }) => slug),
  );
  // one by one, since each may be large
  const notes = (after: After) => findNoteData(userId, { afterSlug: after, limit: 1 });
  yield* list(
    "notes",
    inPages(notes, ({ slug }) => slug),
  );
  const highlights = (after: After) => findHighlightData(userId, { afterId: after, limit: PAGE });
  yield* list(
    "highlights",
    inPages(highlights, ({ id }) => id),
  );
  yield member("deskChanges", await findDeskChangeData(userId, MOST_CHANGES));
  yield member("picture", await pictureOf(userId));
  yield "\n}\n";
}

type After = string | null;

/** Yields the rows of a query page by page, each after the key of the last row before. */
async function* inPages<Row>(
  find: (after: After) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let page = await find(null); page.length > 0; ) {
    yield* page;
    page = await find(keyOf(page.at(-1) as Row));
  }
}

async function pictureOf(userId: string) {
  const picture = await findPictureData(userId);
  if (!picture) return null;
  const { content, ...facts } = picture;
  return {
    ...facts,
    content: `data:image/webp;base64,${content.toString("base64")}`,
  };
}

/** Returns a member of the file's object; not for the first one. */
function member(name: string, value: unknown): string {
  return `,\n  ${toJson(name)}: ${toJson(value)}`;
}

async function* list(name: string, items: AsyncGenerator<unknown>): AsyncGenerator<string> {
  yield `,\n  ${toJson(name)}: [`;
  let separator = "\n    ";
  for await (const item of items) {
    yield `${separator}${toJson(item).replaceAll("\n", "\n  ")}`;
    separator = ",\n    ";
  }
  yield "]";
}

/**
 * Returns indented JSON for a member of the file's object. Escapes characters that are markup to a page, control a
 * terminal or are invisible (RFC 8259, 7); JSON.stringify already escapes a lone surrogate.
 */
function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll("\n", "\n  ")
    .replace(/[<\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (character) =>
      character.length === 1 ? escaped(character) : character.split("").map(escaped).join(""),
    );
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
