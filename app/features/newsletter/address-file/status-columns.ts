import { unescapeCell } from "./spreadsheet-cell";

/**
 * What another program's export says about an address, the strongest last: it gets mail; is not confirmed, or paused;
 * bounced; its owner has left, or complained.
 */
export const STANDINGS = ["kept", "unconfirmed", "bounced", "left", "complained"] as const;

export type Standing = (typeof STANDINGS)[number];

/** The standing for each value, in lower case; "" is an empty cell, and "*" any other value. */
type Values = Readonly<Record<string, Standing>>;

const yesOrNo = (yes: Standing, no: Standing): Values => ({
  ...{ true: yes, yes, "1": yes },
  ...{ false: no, no, "0": no },
});

/** A date, or a reason, that is there only if something happened. */
const ifFilled = (standing: Standing): Values => ({ "": "kept", "*": standing });

/** For a column that only looks like a status. */
const ANYTHING: Values = { "": "kept", "*": "kept" };

type StatusColumn = {
  heading: string;
  values: Values;
  /** The heading of another column that must be there, or this one has an unknown meaning. */
  beside?: string;
};

/** The columns that say who gets mail, by the words of their headings, in the exports of newsletter programs. */
const STATUS_COLUMNS: readonly StatusColumn[] = [
  // Mailchimp has a file each for those who unsubscribed and whose mail bounced, so nobody's date is empty
  { heading: "unsub time", values: { "*": "left" } },
  ...["unsub campaign title", "unsub campaign id", "unsub reason", "unsub reason other"].map(
    (heading) => ({ heading, values: ANYTHING, beside: "unsub time" }),
  ),
  { heading: "clean time", values: { "*": "bounced" } },
  ...["clean campaign title", "clean campaign id"].map((heading) => ({
    heading,
    values: ANYTHING,
    beside: "clean time",
  })),
  // Substack
  { heading: "email disabled", values: yesOrNo("left", "kept") },
  { heading: "active subscription", values: ANYTHING, beside: "email disabled" },
  { heading: "type", values: ANYTHING, beside: "email disabled" },
  // Ghost
  { heading: "subscribed to emails", values: yesOrNo("kept", "left") },
  { heading: "deleted at", values: ifFilled("left"), beside: "subscribed to emails" },
  // Kit
  {
    heading: "state",
    values: {
      active: "kept",
      inactive: "unconfirmed",
      bounced: "bounced",
      cancelled: "left",
      complained: "complained",
    },
  },
  // Buttondown
  {
    heading: "type",
    values: {
      ...{ regular: "kept", premium: "kept", gifted: "kept", trialed: "kept", unpaid: "kept" },
      ...{ churning: "kept", paused: "kept", "past due": "kept" },
      unactivated: "unconfirmed",
      undeliverable: "bounced",
      ...{ unsubscribed: "left", removed: "left", spammy: "left" },
      complained: "complained",
    },
  },
  { heading: "unsubscription date", values: ifFilled("left"), beside: "type" },
  { heading: "unsubscription reason", values: ifFilled("left"), beside: "type" },
  { heading: "undeliverability date", values: ifFilled("bounced"), beside: "type" },
  { heading: "undeliverability reason", values: ifFilled("bounced"), beside: "type" },
  // Brevo
  ...["email blacklist", "email blacklisted"].flatMap((heading) => [
    { heading, values: yesOrNo("left", "kept") },
    { heading: "sms blacklist", values: ANYTHING, beside: heading },
    { heading: "sms blacklisted", values: ANYTHING, beside: heading },
    { heading: "opt in", values: yesOrNo("kept", "unconfirmed"), beside: heading },
    { heading: "double opt in", values: yesOrNo("kept", "unconfirmed"), beside: heading },
  ]),
  // Mailjet
  { heading: "is excluded from campaigns", values: yesOrNo("left", "kept") },
  { heading: "is unsubscribed", values: yesOrNo("left", "kept") },
  { heading: "is opt in pending", values: yesOrNo("unconfirmed", "kept") },
  { heading: "is spam complaining", values: yesOrNo("complained", "kept") },
  // Shopify
  { heading: "accepts email marketing", values: yesOrNo("kept", "unconfirmed") },
  // ActiveCampaign, AWeber, beehiiv, Campaign Monitor, Flodesk, FluentCRM, MailerLite, MailPoet, and this site
  {
    heading: "status",
    values: {
      ...{ active: "kept", subscribed: "kept" },
      ...{ unconfirmed: "unconfirmed", pending: "unconfirmed", paused: "unconfirmed" },
      ...{ "needs approval": "unconfirmed", transactional: "unconfirmed" },
      ...{ bounced: "bounced", cleaned: "bounced" },
      ...{ unsubscribed: "left", inactive: "left", deleted: "left", archived: "left" },
      ...{ complained: "complained", junk: "complained" },
    },
  },
  { heading: "unsubscribed at", values: ifFilled("left"), beside: "status" },
];

/** Headings of the date of consent, the best proof first. */
const CONSENT_DATES = [
  ...["confirmed at", "confirm time", "opted in at", "optin time", "subscribed at"],
  ...["subscription date", "date subscribed", "created at", "creation date", "date added"],
];

/** Cells that stand for no value, as database programs write them. */
const NO_VALUE = /^(?:null|none|n\/a|-|0000-00-00.*)$/;

type FoundColumn = { index: number; name: string; values: Values };

/** A cell whose value the table does not have, or the standing. */
export type ReadStanding = { standing: Standing } | { name: string; value: string; wanted: string };

/** Reads from a row's cells what the file says about its address. */
export class StatusReader {
  readonly #columns: FoundColumn[];
  readonly #consentColumns: number[];
  /** Names of columns that look like a status, and are not understood. */
  readonly unknown: string[];

  constructor(names: readonly string[]) {
    const headings = names.map(wordsOf);
    const found = names.map((name, index) => ({ index, name, values: valuesOf(index, headings) }));
    this.#columns = found.filter((column): column is FoundColumn => column.values !== undefined);
    this.unknown = statusColumns(found.filter(({ values }) => !values).map(({ name }) => name));
    this.#consentColumns = CONSENT_DATES.map((heading) => headings.indexOf(heading)).filter(
      (index) => index !== -1,
    );
  }

  /** The strongest standing of a row's cells. */
  standingOf(cells: readonly string[]): ReadStanding {
    let standing: Standing = "kept";
    for (const { index, name, values } of this.#columns) {
      const cell = unescapeCell(cells[index] ?? "");
      const value = normalize(cell);
      const found = Object.hasOwn(values, value) ? values[value] : values[value && "*"];
      if (!found) return { name, value: cell, wanted: wantedBy(values) };
      standing = strongest(standing, found);
    }
    return { standing };
  }

  /** When the owner of a row's address consented; null if no cell says it in the form 2026-05-31, with or without a time. */
  consentOf(cells: readonly string[], now: Date): Date | null {
    for (const index of this.#consentColumns) {
      const date = readDate(cells[index] ?? "");
      if (date && date <= now) return date;
    }
    return null;
  }
}

/** The stronger of two standings: who has left in one row of a file stays out, whatever another row says. */
export function strongest(one: Standing, other: Standing): Standing {
  return STANDINGS.indexOf(one) > STANDINGS.indexOf(other) ? one : other;
}

function valuesOf(index: number, headings: string[]): Values | undefined {
  return STATUS_COLUMNS.find(
    ({ heading, beside }) =>
      heading === headings[index] && (beside === undefined || headings.includes(beside)),
  )?.values;
}

function normalize(cell: string): string {
  const value = cell
    .normalize("NFKC")
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");
  return NO_VALUE.test(cell.trim().toLowerCase()) ? "" : value;
}

const wantedBy = (values: Values) => ("*" in values ? "a value" : Object.keys(values).join(", "));

/** An ISO 8601 date or time, also with a space or 'UTC' in it; UTC if it names no zone. */
function readDate(text: string): Date | null {
  const match =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$/.exec(
      unescapeCell(text).trim(),
    );
  if (!match) return null;
  const [, day, time = "00:00", zone = "Z"] = match;
  const offset = zone.replace("UTC", "Z").replace(/^([+-]\d\d)(\d\d)$/, "$1:$2");
  const date = new Date(`${day}T${time}${offset}`);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1990 ? null : date;
}

/** Names for addresses that left, were never confirmed or are unreachable; also dated: UNSUB_TIME, bounced_at. */
const GONE =
  /\bun(sub|confirmed|verified|deliver)|bounce|complain|\bspam|suppress|exclude|\bpending|\bclean(ed)?\b|black ?list|block ?list|\bblocked|\b(disabled|deleted|removed|inactive|deactivated|cancell?ed)\b|\bopt(ed)? ?out|\bdo ?not\b|\babgemeldet|\bdesabonn/;

/** Column names for a property of each address, such as whether it is subscribed. */
const STATUS =
  /\b(status|statut|estado|stato|state|subscribed|opt(ed)? ?in|confirmed|verified|active|enabled|consent|permission|marketing|contactable|angemeldet|bestatigt)\b|^(subscriber |member )?type$|^(email |newsletter )?subscription$|^newsletter$/;

/** Words for a detail (when, where from, how often), not a status: OPTIN_TIME, confirmed_at, consent_source. */
const DETAIL = /\b(at|on|date|time|ip|source|last|id)\b/;

/**
 * Returns the column names in a first row that may mark addresses without consent or that have left. Covers exports
 * of newsletter services and shops: 'Status', 'subscribed_to_emails', 'UNSUB_TIME'.
 */
export function statusColumns(names: readonly string[]): string[] {
  return names.filter((name) => {
    const words = wordsOf(name);
    return GONE.test(words) || (STATUS.test(words) && !DETAIL.test(words));
  });
}

/** Normalizes a name's words: 'OptIn', 'opt-in' and 'OPT_IN' become 'opt in', 'Désabonné' becomes 'desabonne'. */
function wordsOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}
