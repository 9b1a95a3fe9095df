import { env } from "~/env.server";
import { backupState, isBackupLate } from "~/features/backup/backup-state.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { editionState, hasOwnEdition } from "~/features/library/importer/edition-state.server";
import { formatCount } from "~/features/newsletter/format-count";
import { currentSite } from "~/features/site/current-site.server";
import { sampleParts } from "~/features/site/sample-site";
import { isWithin } from "~db/clock";
import { TOLD_SHARE } from "~db/queries/complaints";
import type { AlertFacts } from "~db/queries/operator-alerts";
import type { HealthFacts } from "~db/queries/operator-facts";
import type { OperatorAlert } from "~db/schema";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Refused deliveries that raise the alert, if none was accepted since the first of them. */
const REFUSED_WEBHOOKS = 3;

/** Refused webhooks count as over when none was refused for this long. Stripe stops retrying after three days. */
const REFUSALS_OVER_MS = 3 * 24 * HOUR_MS;

/** Maximum time without a webhook after a payment the site found itself, in milliseconds. Stripe takes seconds. */
const SILENT_MS = 6 * HOUR_MS;

/** How long Stripe must be out of reach, in milliseconds. */
const STRIPE_OUTAGE_MS = 30 * MINUTE_MS;

/** How long all workers must be unable to use the mail server, in milliseconds. */
const MAIL_WAITING_MS = 15 * MINUTE_MS;

/** How many of a day's mails must be refused, and what share of all. */
const REFUSED_MAILS = { least: 3, share: 0.1 };

/** How long no mail may be refused, while others are sent, before refusals count as over, in milliseconds. */
const REFUSED_MAIL_OVER_MS = 6 * HOUR_MS;

/** Shares of the database's connections in use: bad from the first on, good again below the second. */
const CONNECTIONS = { bad: 0.9, good: 0.75 };

/** How long a process has after its start to make a missed backup, in milliseconds. */
const BACKUP_GRACE_MS = HOUR_MS;

/** Consecutive failed backups, a quarter of an hour apart. */
const BACKUP_FAILURES = 2;

/** Crashes within half an hour. */
const CRASHES = 3;

/** The result of a check of the running site. "unknown" changes nothing. */
export type State = "bad" | "good" | "unknown";

/** What one check of the running site found. */
export type Reading = {
  state: State;
  facts: AlertFacts;
  /** Distinguishes alerts of the same kind. */
  id?: string;
};

/** A reading with the alert it belongs to. */
export type AlertReading = { kind: AlertKind; key: string } & Pick<Reading, "state" | "facts">;

/** An alert's texts for the operator, in mails, logs and the terminal. They name no person. */
export type AlertWords = {
  /** Headline without a full stop. */
  title: string;
  /** One sentence on what is wrong. */
  wrong: string;
  /** The effect on visitors and members. */
  means: string;
  /** What to do. */
  todo: string;
  /** Helpful CLI commands, without the program's name. */
  commands?: string[];
  /** Headline and sentence of the mail that reports the alert as resolved. */
  resolvedTitle: string;
  resolved: string;
};

/** One of the site's checks of itself, which may raise an alert (docs/operating.md). */
type Alert = {
  /** Judges the database's facts; absent if another module does it. `open` holds the open alerts of this kind. */
  read?: (facts: HealthFacts, now: Date, open: readonly OperatorAlert[]) => Reading | Reading[];
  /** Whether it concerns one machine, so only a process there can check it. */
  isLocal?: true;
  /** Where `doctor` shows it too, unless `doctor` has its own check. */
  shownIn?: { area: string; what: string };
  /** How long it must last before it is reported, in milliseconds, unless `read` waits itself. */
  reportAfterMs?: number;
  /** How long the check must be good before the alert is resolved, in milliseconds. */
  resolveAfterMs?: number;
  /** Whether it is reported only after it is resolved, because no mail can be sent while it lasts. */
  isReportedAfterward?: true;
  words: (facts: AlertFacts) => AlertWords;
};

const text = (value: string | number | undefined) => String(value ?? "");
const number = (value: string | number | undefined, noun?: string) =>
  formatCount(Number(value ?? 0), noun);
const time = (value: string | number | undefined) =>
  value === undefined ? null : utcDateTime(new Date(value));

/** Texts for a dispute's outcome, by its status at Stripe. */
const OUTCOMES: Record<string, string> = {
  won: "You won it: the payment stays with you.",
  lost: "You lost it: the payment has gone back. If the membership was still running, the site has canceled it.",
  warning_closed: "The bank has closed its inquiry, and the payment stays with you.",
  prevented: "It was prevented, by a refund or otherwise. There is no dispute.",
};

/** All checks of the running site, by the kind stored in `operator_matters`. */
export const ALERTS = {
  "webhooks-refused": {
    shownIn: { area: "payments", what: "webhooks" },
    read: ({ signals }, now) => {
      const refused = signals["webhook-refused"];
      const mismatched = signals["webhook-livemode-mismatch"];
      const count = (refused?.count ?? 0) + (mismatched?.count ?? 0);
      const isRecent = [refused, mismatched].some(
        (one) => one && !isOlder(one.lastAt, REFUSALS_OVER_MS, now),
      );
      return {
        state: judge(count >= REFUSED_WEBHOOKS && isRecent, count === 0 || !isRecent),
        facts: { count, livemodeMismatches: mismatched?.count ?? 0 },
      };
    },
    words: ({ count, livemodeMismatches }) => ({
      title: "Stripe's webhooks are refused",
      wrong:
        Number(livemodeMismatches) > 0
          ? `The site has refused ${number(count)} webhooks and accepted none since. Some are from Stripe's other mode: a test key with live events, or the reverse.`
          : `The site has refused ${number(count)} webhooks and accepted none since, because they aren't signed with STRIPE_WEBHOOK_SECRET.`,
      means:
        "Members see payments, cancellations and failed renewals minutes or hours late, when the site's own timer runs.",
      todo: "Compare the endpoint's signing secret at Stripe with STRIPE_WEBHOOK_SECRET, correct it and restart the site. If the doctor finds nothing wrong, a stranger sent them, and you don't need to do anything.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe's webhooks are accepted again",
      resolved: "The site has accepted a webhook since, or has refused none for three days.",
    }),
  },
  "webhooks-silent": {
    shownIn: { area: "payments", what: "webhooks" },
    read: ({ signals }, now) => {
      const unannounced = signals["payment-without-webhook"];
      const last = signals["webhook-accepted"]?.lastAt;
      const payments = unannounced?.count ?? 0;
      return {
        state: judge(isOlder(unannounced?.firstAt, SILENT_MS, now), !unannounced),
        facts: { payments, ...(last ? { lastWebhookAt: last } : {}) },
      };
    },
    words: ({ payments, lastWebhookAt }) => ({
      title: "Stripe's webhooks aren't arriving",
      wrong: `The site has noticed ${number(payments, "payment")} by itself, and no webhook has arrived for six hours since${
        time(lastWebhookAt) ? `; the last one came on ${time(lastWebhookAt)}` : ""
      }.`,
      means:
        "Members get what they paid for when they return from Stripe's page, but the site notices cancellations and failed renewals hours late.",
      todo: "Check that the endpoint is registered and enabled at Stripe, and that Stripe's requests get through your proxy and firewall.",
      commands: ["stripe doctor", "stripe setup"],
      resolvedTitle: "Stripe's webhooks are arriving again",
      resolved: "A webhook has arrived. The site's timer catches up on what was missed.",
    }),
  },
  "stripe-unreachable": {
    shownIn: { area: "payments", what: "Stripe" },
    read: ({ signals }, now) => {
      const refused = signals["stripe-refused"];
      const found = env().STRIPE ? [refused, signals["stripe-unanswered"]] : [];
      const isBad = found.some((one) => isOlder(one?.firstAt, STRIPE_OUTAGE_MS, now));
      return {
        state: judge(isBad, !found.some(Boolean)),
        facts: { isRefused: refused ? 1 : 0 },
      };
    },
    words: ({ isRefused }) => ({
      title: "Stripe can't be reached",
      wrong: isRefused
        ? "Stripe has refused STRIPE_SECRET_KEY for half an hour. It was rolled, has expired or lacks a permission."
        : "Stripe has not answered the site for half an hour.",
      means:
        "No one can buy. Members whose membership renews keep their access, one day at a time, for up to 14 days.",
      todo: isRefused
        ? "Set a valid key and restart the site. It then catches up automatically."
        : "Check status.stripe.com, and whether this machine can reach api.stripe.com. The site then catches up automatically.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe can be reached again",
      resolved: "The site is catching up on what it missed.",
    }),
  },
  "checkout-refused": {
    // the next checkout that Stripe opens records it
    read: overWith("opened"),
    words: ({ answer }) => ({
      title: "Stripe refuses to sell",
      wrong: `Stripe refused to open a payment page: '${text(answer)}'`,
      means: "No one can buy. Buyers are told that the site can't take payments.",
      todo: "Fix what Stripe names, in its dashboard or in the settings. The next buyer's click tries again.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe is selling again",
      resolved: "Stripe has opened a payment page.",
    }),
  },
  dispute: {
    // the dispute sync records the outcome
    read: overWith("outcome"),
    words: ({ dispute, dueBy, outcome }) => ({
      title: "A payment is disputed",
      wrong: `A bank has asked for a payment back, or is asking about it (dispute ${text(dispute)} at Stripe).`,
      means:
        "While the money is withheld, the member has no access and isn't charged. The site handles both. An inquiry alone changes nothing.",
      todo: time(dueBy)
        ? `Answer it in Stripe's dashboard by ${time(dueBy)}, or accept it. Without an answer, you lose it.`
        : "Answer it in Stripe's dashboard, or accept it. Without an answer, you lose it.",
      resolvedTitle: "A dispute is over",
      resolved: `${OUTCOMES[text(outcome)] ?? "Stripe has closed it."} (Dispute ${text(dispute)}.)`,
    }),
  },
  "two-memberships": {
    // the sync records when it is over
    read: overWith("isOver"),
    words: ({ userId, first, second }) => ({
      title: "A member is paying twice",
      wrong: `The account ${text(userId)} has two memberships that renew, ${text(first)} and ${text(second)} at Stripe.`,
      means: "Both are charged, but one is enough. The member was told and can cancel either one.",
      todo: `Cancel ${text(second)} in Stripe's dashboard, and refund its payments.`,
      resolvedTitle: "A member is no longer paying twice",
      resolved: `One of account ${text(userId)}'s two memberships has ended or ends with its period.`,
    }),
  },
  "mail-waiting": {
    resolveAfterMs: 5 * MINUTE_MS,
    isReportedAfterward: true,
    read: ({ workers: { running, waiting, waitingSince, reason } }, now) => ({
      state: judge(isOlder(waitingSince, MAIL_WAITING_MS, now), running > 0 && waiting === 0),
      facts: {
        ...(reason ? { reason } : {}),
        ...(waitingSince ? { since: waitingSince } : {}),
      },
    }),
    words: ({ reason, since }) => ({
      title: "Mail can't be sent",
      wrong: `The mail server couldn't be used${reason ? ` (${text(reason)})` : ""}${
        time(since) ? ` since ${time(since)}` : ""
      }.`,
      means:
        "No one gets password links, confirmations or receipts. They wait, and go out as soon as possible unless they expire first.",
      todo: "Check that the mail server is running, and that its address and password in SMTP_URL are right.",
      commands: ["mail doctor", "mail status"],
      resolvedTitle: "Mail couldn't be sent for a while",
      resolved: `The mail server couldn't be used${reason ? ` (${text(reason)})` : ""}, but works again. We couldn't email you about it before. Waiting mail has been sent unless it had expired; 'mail status' counts it.`,
    }),
  },
  "mail-refused": {
    shownIn: { area: "mail queue", what: "mail server" },
    read: ({ mail: { sent, refused, reply, lastRefusedAt, lastSentAt } }, now) => {
      const { least, share } = REFUSED_MAILS;
      const isMany = refused >= least && refused >= share * (sent + refused);
      // no refusals prove nothing while no mail is sent
      const isOver =
        lastSentAt !== null &&
        (lastRefusedAt === null ||
          (Date.parse(lastSentAt) > Date.parse(lastRefusedAt) &&
            isOlder(lastRefusedAt, REFUSED_MAIL_OVER_MS, now)));
      return {
        state: judge(isMany && !isOver, isOver),
        facts: { refused, sent, ...(reply ? { reply } : {}) },
      };
    },
    words: ({ refused, sent, reply }) => ({
      title: "The mail server is refusing mail",
      wrong: `${number(refused)} mails were refused in the last 24 hours, most with '${text(reply)}', and ${number(sent)} were sent. Addresses that don't exist aren't counted.`,
      means: "Some people aren't getting password links, confirmations or notices.",
      todo: "The mail server's answer says why. It's often a missing SPF or DKIM record or a bad reputation. Once it's fixed, send what hasn't expired again.",
      commands: ["mail doctor", "mail retry"],
      resolvedTitle: "The mail server is accepting mail again",
      resolved: "Mail was sent, and none has been refused for some hours.",
    }),
  },
  "issue-paused": {
    shownIn: { area: "mail queue", what: "newsletter" },
    read: ({ pausedIssues }, _now, open) => [
      ...pausedIssues.map(
        ({ id, slug, reason }): Reading => ({
          state: "bad",
          facts: { slug, reason },
          id,
        }),
      ),
      ...overUnless(pausedIssues, open),
    ],
    words: ({ slug, reason }) => ({
      title: "An issue of the newsletter is paused",
      wrong: `The site has paused the issue '${text(slug)}': ${withoutAddresses(text(reason))}.`,
      means: "Subscribers who haven't gotten it yet won't get it until it's resumed.",
      todo: "Fix the cause, then resume it, or cancel the rest.",
      commands: [
        `newsletter status ${text(slug)}`,
        "mail doctor",
        `newsletter resume ${text(slug)}`,
      ],
      resolvedTitle: "The newsletter's issue continues",
      resolved: `The issue '${text(slug)}' is no longer paused.`,
    }),
  },
  "issue-complaints": {
    shownIn: { area: "mail queue", what: "complaints" },
    read: ({ complaints }, _now, open) => [
      ...complaints.map(
        ({ id, ...facts }): Reading => ({
          state: judge(facts.complaints >= TOLD_SHARE * facts.sent, false),
          facts,
          id,
        }),
      ),
      ...overUnless(complaints, open),
    ],
    words: ({ slug, complaints, sent }) => ({
      title: "Readers are marking an issue of the newsletter as spam",
      wrong: `${number(complaints)} of the ${number(sent)} people who were sent the issue '${text(slug)}' have marked it as spam.`,
      means:
        "They get no more mail. At 0.3 % and above, large providers put your mail in the spam folder, password links included. The site then pauses the issue.",
      todo: "Find out who these people are: people who don't remember subscribing mark any letter as spam. Check the source of the newest addresses.",
      commands: [`newsletter status ${text(slug)}`, "subscribers stats"],
      resolvedTitle: "Complaints about an issue are over",
      resolved: `The issue '${text(slug)}' had fewer than three in 30 days.`,
    }),
  },
  "disk-low": {
    isLocal: true,
    reportAfterMs: 5 * MINUTE_MS,
    resolveAfterMs: 15 * MINUTE_MS,
    words: ({ setting, percent, freeMb }) => ({
      title: "The disk is nearly full",
      wrong: `The disk of ${text(setting)} has ${number(percent)} % free (${number(freeMb)} MB).`,
      means:
        setting === "BACKUP_DIR"
          ? "Visitors don't notice, but once it's full, no more backups are made."
          : "Once it's full, no one can sign up, pay or save anything.",
      todo: "Free up space or enlarge the disk. Look for logs, old backups and other programs' files first.",
      resolvedTitle: "The disk has space again",
      resolved: `The disk of ${text(setting)} has ${number(percent)} % free (${number(freeMb)} MB).`,
    }),
  },
  "backup-late": {
    isLocal: true,
    read: (_facts, now) => {
      const { BACKUP_EVERY: every } = env();
      if (every === undefined) return [];
      const { failures, newest } = backupState();
      const isLate = newest !== undefined && isBackupLate(newest, every, now);
      const hadTime = now.getTime() - performance.timeOrigin > BACKUP_GRACE_MS;
      return {
        state: judge(
          (failures ?? 0) >= BACKUP_FAILURES || (isLate && hadTime),
          failures === 0 && newest !== undefined && !isLate,
        ),
        facts: { ...(newest ? { newest: newest.toISOString() } : {}) },
      };
    },
    words: ({ newest }) => ({
      title: "The backup is late",
      wrong: time(newest)
        ? `The newest backup is from ${time(newest)}, and the next one is overdue or has failed.`
        : "BACKUP_EVERY is set, but there is no backup yet: it's overdue or has failed.",
      means: "Visitors don't notice. If the disk fails, everything since that backup is lost.",
      todo: "Make one by hand: if it fails, it says why. The site tries again every 15 minutes.",
      commands: ["backup", "backup list"],
      resolvedTitle: "There is a new backup",
      resolved: time(newest) ? `The newest backup is from ${time(newest)}.` : "A backup was made.",
    }),
  },
  "crash-loop": {
    isLocal: true,
    // resolved once this run has outlasted the period in which crashes count
    read: ({ crashes }) => ({
      state: judge(crashes >= CRASHES, crashes === 0),
      facts: { crashes },
    }),
    words: ({ crashes }) => ({
      title: "The site keeps crashing",
      wrong: `The program has crashed ${number(crashes)} times within half an hour and was restarted.`,
      means: "Visitors get errors each time, and forms being sent fail.",
      todo: "Look at the last log lines before each start. Often memory has run out ('journalctl -k' names a killed process), or a recent change of a setting is to blame.",
      resolvedTitle: "The site is stable again",
      resolved: "The program hasn't crashed for half an hour.",
    }),
  },
  "connections-low": {
    reportAfterMs: 5 * MINUTE_MS,
    resolveAfterMs: 15 * MINUTE_MS,
    read: ({ connections: { used, max } }) => {
      const share = used / Math.max(1, max);
      return {
        state: judge(share >= CONNECTIONS.bad, share < CONNECTIONS.good),
        facts: { used, most: max },
      };
    },
    words: ({ used, most }) => ({
      title: "The database is running out of connections",
      wrong: `${number(used)} of the database's ${number(most)} connections are in use.`,
      means: "Once none are left, pages show errors and no one can log in or pay.",
      todo: "See what uses them with 'select * from pg_stat_activity'. Run fewer instances or programs on this database, or raise its max_connections.",
      commands: ["db psql"],
      resolvedTitle: "The database has connections to spare again",
      resolved: `${number(used)} of its ${number(most)} connections are in use.`,
    }),
  },
  "database-unreachable": {
    isReportedAfterward: true,
    // reading this from the database proves that it is back
    read: (_facts, _now, open) => open.map(({ facts }) => ({ state: "good", facts })),
    words: ({ minutes }) => ({
      title: "The database couldn't be reached",
      wrong: `The site couldn't use its database for ${number(minutes, "minute")}.`,
      means: "Visitors looked logged out, and forms failed.",
      todo: "See the database's log for the reason.",
      resolvedTitle: "The database couldn't be reached for a while",
      resolved: `The site couldn't use its database for ${number(minutes, "minute")}. Visitors looked logged out, and forms failed. It works again. We couldn't email you about it before. See the database's log for the reason.`,
    }),
  },
  "edition-not-taken": {
    isLocal: true,
    reportAfterMs: 24 * HOUR_MS,
    read: () => ({
      state: judge(editionState() === "not-taken", editionState() === "taken"),
      facts: {},
    }),
    words: () => ({
      title: "The edition can't be used",
      wrong: "The edition in CONTENT_DIR has had a mistake or been unreadable for a day.",
      means: "Members still read the last good edition. Later changes don't appear.",
      todo: "The first command names every mistake with its file and line. The site uses the edition as soon as they're fixed.",
      commands: ["content check"],
      resolvedTitle: "The edition is in use again",
      resolved: "Members read the edition in CONTENT_DIR.",
    }),
  },
  "site-not-taken": {
    isLocal: true,
    reportAfterMs: 24 * HOUR_MS,
    read: () => {
      const isKept = (currentEdition()?.siteProblems.length ?? 0) > 0;
      return { state: judge(isKept, editionState() !== "unknown"), facts: {} };
    },
    words: () => ({
      title: "site.yml or a page has a mistake",
      wrong: "site.yml or a file in pages has had a mistake for a day.",
      means: "Visitors see the site as it was before. Texts aren't affected.",
      todo: "The command names every mistake with its file and line. The site uses the files as soon as they're fixed.",
      commands: ["content check"],
      resolvedTitle: "The site's words and pages are in use again",
      resolved: "Visitors see site.yml and the pages as they are.",
    }),
  },
  "sample-site": {
    isLocal: true,
    reportAfterMs: 24 * HOUR_MS,
    read: () => {
      const isSample = hasOwnEdition() && currentSite().isSample;
      return { state: judge(isSample, editionState() !== "unknown"), facts: {} };
    },
    words: () => ({
      title: "The site still shows the sample's words",
      wrong: `Your book is there, but the site still has the sample's ${sampleParts(currentSite()).join(", ")}.`,
      means: "Visitors see another title, another author and made-up ratings next to your texts.",
      todo: "The first command prints a site.yml to start from. Save it in the edition's folder and fill in your own words.",
      commands: ["content site", "content check"],
      resolvedTitle: "The site is yours",
      resolved: "It shows the words of your site.yml.",
    }),
  },
} satisfies Record<string, Alert>;

export type AlertKind = keyof typeof ALERTS;

/** Returns the definition of a stored kind; null for a kind from a newer release. */
export function alertOf(kind: string): Alert | null {
  return Object.hasOwn(ALERTS, kind) ? ALERTS[kind as AlertKind] : null;
}

/** Returns the readings of all alerts that are read from the database. `place` identifies this machine's DATA_DIR. */
export function readAlerts(
  facts: HealthFacts,
  open: readonly OperatorAlert[],
  place: string,
  now: Date,
): AlertReading[] {
  return Object.entries<Alert>(ALERTS).flatMap(([name, { read }]) => {
    const kind = name as AlertKind;
    const own = open.filter((one) => one.kind === kind);
    const readings = read ? [read(facts, now, own)].flat() : [];
    return readings.map((reading) => aboutAlert(kind, reading, place));
  });
}

/** Adds an alert's kind and key to a reading. A local alert's key includes the place. */
export function aboutAlert(
  kind: AlertKind,
  { state, facts, id }: Reading,
  place: string,
): AlertReading {
  const isLocal = alertOf(kind)?.isLocal;
  const key = [kind, ...(id ? [id] : []), ...(isLocal ? [place] : [])].join(":");
  return { kind, key, state, facts };
}

/** The part of a key after its kind; undefined if there is none. */
const idOf = (key: string): string | undefined => /:(.*)/s.exec(key)?.[1];

/** Reads the reported alerts in whose facts another module has recorded that they are over. */
function overWith(fact: string): NonNullable<Alert["read"]> {
  return (_facts, _now, open) =>
    open
      .filter(({ facts, reportedAt }) => facts[fact] && reportedAt)
      .map(({ key, facts }) => ({ state: "good", facts, id: idOf(key) }));
}

/** Reads the open alerts about what is not found any more. */
function overUnless(found: readonly { id: string }[], open: readonly OperatorAlert[]): Reading[] {
  return open
    .map(({ key, facts }): Reading => ({ state: "good", facts, id: idOf(key) }))
    .filter((one) => !found.some(({ id }) => id === one.id));
}

/** Returns "bad", "good", or "unknown" if neither applies. */
export function judge(isBad: boolean, isGood: boolean): State {
  if (isBad) return "bad";
  return isGood ? "good" : "unknown";
}

function isOlder(time: string | null | undefined, milliseconds: number, now: Date): boolean {
  return time ? !isWithin(new Date(time), milliseconds, now) : false;
}

/** Removes email addresses, which a mail server's reply may quote. */
function withoutAddresses(words: string): string {
  return words.replace(/[^\s<>'"]+@[^\s<>'"]+/g, "…").replace(/\.$/, "");
}

const DATE_TIME = new Intl.DateTimeFormat("en-US", {
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** Formats a time for the operator, such as "November 23, 2026 at 15:40 UTC". */
export const utcDateTime = (at: Date): string => `${DATE_TIME.format(at)} UTC`;
