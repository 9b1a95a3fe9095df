import { OperatorError } from "~db/operator-error";
import { printableText } from "./printable-text";
import { unescapeCell } from "./spreadsheet-cell";

/**
 * What another program's export says about an address, the strongest last: it gets mail; is not confirmed, or paused;
 * bounced; its owner has left, or complained.
 */
export const STANDINGS = ["kept", "unconfirmed", "bounced", "left", "complained"] as const;

export type Standing = (typeof STANDINGS)[number];

/** The standing for each value, in lower case; "" is an empty cell, and "*" any other value. */
type Values = Readonly<Record<string, Standing>>;

/** The values that mean each standing. */
const meaning = (values: Partial<Record<Standing, readonly string[]>>): Values =>
  Object.fromEntries(
    STANDINGS.flatMap((standing) => (values[standing] ?? []).map((value) => [value, standing])),
  );

const yesOrNo = (yes: Standing, no: Standing): Values =>
  meaning({ [yes]: ["true", "yes", "1"], [no]: ["false", "no", "0"] });

/** A date, or a reason, that is there only if something happened. */
const ifFilled = (standing: Standing): Values => ({ "": "kept", "*": standing });

/** For a column that only looks like a status. */
const ANYTHING: Values = { "": "kept", "*": "kept" };

/** A column by the words of its heading, its values, and another column that must be there for this meaning. */
type StatusColumn = readonly [heading: RegExp, values: Values, beside?: RegExp];

/** The columns that say who gets mail, in the exports of newsletter programs. The first one that fits counts. */
const STATUS_COLUMNS: readonly StatusColumn[] = [
  // Mailchimp has a file each for those who unsubscribed and whose mail bounced, so nobody's date is empty
  [/^unsub time$/, { "*": "left" }],
  [/^unsub (campaign|reason)\b/, ANYTHING, /^unsub time$/],
  [/^clean time$/, { "*": "bounced" }],
  [/^clean campaign\b/, ANYTHING, /^clean time$/],
  // Substack
  [/^email disabled$/, yesOrNo("left", "kept")],
  [/^(active subscription|type)$/, ANYTHING, /^email disabled$/],
  // Ghost
  [/^subscribed to emails$/, yesOrNo("kept", "left")],
  [/^deleted at$/, ifFilled("left"), /^subscribed to emails$/],
  // Kit
  [
    /^state$/,
    meaning({
      kept: ["active"],
      unconfirmed: ["inactive"],
      bounced: ["bounced"],
      left: ["cancelled"],
      complained: ["complained"],
    }),
  ],
  // Buttondown
  [
    /^type$/,
    meaning({
      kept: ["regular", "premium", "gifted", "trialed", "unpaid", "churning", "paused", "past due"],
      unconfirmed: ["unactivated"],
      bounced: ["undeliverable"],
      left: ["unsubscribed", "removed", "spammy"],
      complained: ["complained"],
    }),
  ],
  [/^unsubscription (date|reason)$/, ifFilled("left"), /^type$/],
  [/^undeliverability (date|reason)$/, ifFilled("bounced"), /^type$/],
  // Brevo
  [/^email blacklist(ed)?$/, yesOrNo("left", "kept")],
  [/^sms blacklist(ed)?$/, ANYTHING, /^email blacklist/],
  [/^(double )?opt in$/, yesOrNo("kept", "unconfirmed"), /^email blacklist/],
  // Mailjet
  [/^is (excluded from campaigns|unsubscribed)$/, yesOrNo("left", "kept")],
  [/^is opt in pending$/, yesOrNo("unconfirmed", "kept")],
  [/^is spam complaining$/, yesOrNo("complained", "kept")],
  // Shopify
  [/^accepts email marketing$/, yesOrNo("kept", "unconfirmed")],
  // ActiveCampaign, AWeber, beehiiv, Campaign Monitor, Flodesk, FluentCRM, MailerLite, MailPoet, and this site
  [
    /^status$/,
    // with reasons of this site's suppressions
    meaning({
      kept: ["active", "subscribed"],
      unconfirmed: ["unconfirmed", "pending", "paused", "needs approval", "transactional"],
      bounced: ["bounced", "cleaned", "hard bounce", "listed"],
      left: ["unsubscribed", "inactive", "deleted", "archived"],
      complained: ["complained", "junk", "complaint"],
    }),
  ],
  [/^unsubscribed at$/, ifFilled("left"), /^status$/],
];

/** Headings of the date of consent, the best proof first. */
const CONSENT_DATES = [
  ...["confirmed at", "confirm time", "opted in at", "optin time", "subscribed at"],
  ...["subscription date", "date subscribed", "created at", "creation date", "date added"],
];

/** Cells that stand for no value, as database programs write them. */
const NO_VALUE = /^(?:null|none|n\/a|-|0000-00-00.*)$/;

type FoundColumn = { index: number; name: string; values: Values };

/** Reads from a row's cells what the file says about its address. */
export class StatusReader {
  readonly #columns: FoundColumn[];
  readonly #consentColumns: number[];
  /** Names of columns that look like a status, and are not understood. */
  readonly unknown: string[];

  constructor(names: readonly string[]) {
    const headings = names.map(wordsOf);
    this.#columns = names.flatMap((name, index) => {
      const values = valuesOf(headings[index] ?? "", headings);
      return values ? [{ index, name, values }] : [];
    });
    this.unknown = statusColumns(names).filter((name) => !valuesOf(wordsOf(name), headings));
    this.#consentColumns = CONSENT_DATES.map((heading) => headings.indexOf(heading)).filter(
      (index) => index !== -1,
    );
  }

  /** The strongest standing of a row's cells. Throws an OperatorError that begins with `place` for an unknown value. */
  standingOf(cells: readonly string[], place: string): Standing {
    let standing: Standing = "kept";
    for (const { index, name, values } of this.#columns) {
      const cell = unescapeCell(cells[index] ?? "");
      const value = normalize(cell);
      const found = Object.hasOwn(values, value) ? values[value] : values[value && "*"];
      if (!found) {
        const [column, shown] = [name, cell].map((text) => printableText(text).slice(0, 40));
        const wanted = "*" in values ? "a value" : Object.keys(values).join(", ");
        throw new OperatorError(
          `${place}: '${column}' is '${shown}', which is not understood; wanted ${wanted}. Nothing was imported.`,
        );
      }
      standing = strongest(standing, found);
    }
    return standing;
  }

  /** What a column is read for, in words; null for nothing. */
  meaningOf(index: number): string | null {
    if (this.#columns.some((column) => column.index === index)) return "who gets mail";
    return this.#consentColumns.includes(index) ? "date of consent" : null;
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
export function strongest<Given extends Standing>(one: Given, other: Given): Given {
  return STANDINGS.indexOf(one) > STANDINGS.indexOf(other) ? one : other;
}

function valuesOf(heading: string, headings: string[]): Values | undefined {
  const column = STATUS_COLUMNS.find(
    ([name, , beside]) =>
      name.test(heading) && (!beside || headings.some((one) => beside.test(one))),
  );
  return column?.[1];
}

function normalize(cell: string): string {
  const value = cell
    .normalize("NFKC")
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");
  return NO_VALUE.test(cell.trim().toLowerCase()) ? "" : value;
}

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
