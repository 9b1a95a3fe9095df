import { log } from "~/observability/log.server";
import {
  findAccountData,
  findDeskChangeData,
  findEmailChangeData,
  findHighlightData,
  findMailData,
  findMembershipData,
  findNextNote,
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

/** UTF-16 code units of a note written at once. Other requests are served in between. */
const SLICE = 16_384;

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
  yield* list("sessions", sessionsOf(userId));
  yield member("passkeys", await findPasskeyData(userId));
  yield member("passwordReset", await findPasswordResetData(userId));
  yield member("emailChanges", await findEmailChangeData(userId));
  yield member("withheld", email === null ? UNCONFIRMED : null);
  yield member("newsletter", email && (await findSubscriptionData(email)));
  yield member("suppression", email && (await findSuppressionData(email)));
  yield member("mails", email === null ? [] : await findMailData(email));
  yield member("podcast", await findPodcastData(userId));
  yield* list("readingProgress", progressOf(userId));
  yield* notesOf(userId);
  yield* list("highlights", highlightsOf(userId));
  yield member("deskChanges", await findDeskChangeData(userId, MOST_CHANGES));
  yield member("picture", await pictureOf(userId));
  yield "\n}\n";
}

async function* sessionsOf(userId: string) {
  let page = await findSessionData(userId, { afterId: null, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await findSessionData(userId, { afterId: page.at(-1)?.id ?? null, limit: PAGE });
  }
}

async function* progressOf(userId: string) {
  let page = await findProgressData(userId, { afterSlug: null, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await findProgressData(userId, { afterSlug: page.at(-1)?.slug ?? null, limit: PAGE });
  }
}

async function* highlightsOf(userId: string) {
  let page = await findHighlightData(userId, { afterId: null, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await findHighlightData(userId, { afterId: page.at(-1)?.id ?? null, limit: PAGE });
  }
}

/** Reads notes one by one and writes them in slices, since each may be large. */
async function* notesOf(userId: string): AsyncGenerator<string> {
  yield ',\n  "notes": [';
  let separator = "\n    ";
  let note = await findNextNote(userId, null);
  while (note) {
    const { text, ...facts } = note;
    yield `${separator}${toJson(facts)
      .replaceAll("\n", "\n  ")
      .replace(/\n *\}$/, "")},\n      "text": "`;
    for (const slice of slicesOf(text)) yield toJson(slice).slice(1, -1);
    yield '"\n    }';
    separator = ",\n    ";
    note = await findNextNote(userId, note.slug);
  }
  yield "]";
}

/** Cuts text into slices. A split surrogate pair becomes two escapes, which parse as the pair. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += SLICE) yield text.slice(start, start + SLICE);
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
