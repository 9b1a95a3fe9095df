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
  won: "It is won: the payment stays with you.",
  lost: "It is lost: the payment has gone back. If its membership went on, the site has canceled it.",
  warning_closed: "The bank's question is closed, and the payment stays with you.",
  prevented: "It was prevented, by a refund or otherwise: there is no dispute.",
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
          ? `The site has refused ${number(count)} webhooks and accepted none since: some are of Stripe's other mode, so a test key meets live events or the reverse.`
          : `The site has refused ${number(count)} webhooks and accepted none since, because STRIPE_WEBHOOK_SECRET is not the secret they are signed with.`,
      means:
        "Payments, cancellations and failed renewals reach members minutes or hours late, by the site's own timer.",
      todo: "Compare the endpoint's signing secret at Stripe with STRIPE_WEBHOOK_SECRET, correct it and restart the site. If the doctor finds nothing wrong, a stranger has sent them, and there is nothing to do.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe's webhooks are accepted again",
      resolved: "The site has accepted a webhook since, or for three days none was refused.",
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
      title: "Stripe's webhooks do not arrive",
      wrong: `The site has noticed ${number(payments, "payment")} by itself, and no webhook has arrived for six hours since${
        time(lastWebhookAt) ? `; the last one came on ${time(lastWebhookAt)}` : ""
      }.`,
      means:
        "Members get what they paid for when they come back from Stripe's page, but cancellations and failed renewals are noticed hours late.",
      todo: "See whether the endpoint is registered and enabled at Stripe, and whether Stripe's requests get through your proxy and firewall.",
      commands: ["stripe doctor", "stripe setup"],
      resolvedTitle: "Stripe's webhooks arrive again",
      resolved:
        "A webhook has arrived. What was missed meanwhile is made up for by the site's timer.",
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
      title: "Stripe cannot be asked",
      wrong: isRefused
        ? "Stripe has refused STRIPE_SECRET_KEY for half an hour: it was rolled, has expired or lacks a permission."
        : "Stripe has not answered the site for half an hour.",
      means:
        "Nobody can buy. Members whose membership renews keep their access, a day at a time and for 14 days at most.",
      todo: isRefused
        ? "Set a valid key, and restart the site. It catches up by itself."
        : "See status.stripe.com, and whether this machine reaches api.stripe.com. The site catches up by itself.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe can be asked again",
      resolved: "The site reads what it missed meanwhile.",
    }),
  },
  "checkout-refused": {
    // the next checkout that Stripe opens records it
    read: overWith("opened"),
    words: ({ answer }) => ({
      title: "Stripe refuses to sell",
      wrong: `Stripe refused to open a payment page: '${text(answer)}'`,
      means: "Nobody can buy; buyers read that the shop is not ready.",
      todo: "Mend what Stripe names, in its dashboard or in the settings. The next click of a buyer tries again.",
      commands: ["stripe doctor"],
      resolvedTitle: "Stripe sells again",
      resolved: "Stripe has opened a payment page.",
    }),
  },
  dispute: {
    // the dispute sync records the outcome
    read: overWith("outcome"),
    words: ({ dispute, dueBy, outcome }) => ({
      title: "A payment is disputed",
      wrong: `A bank has asked for a payment back, or asks about it (dispute ${text(dispute)} at Stripe).`,
      means:
        "While money is withheld, its member has no access and is charged nothing more; the site does both by itself. A mere question of the bank changes nothing.",
      todo: time(dueBy)
        ? `Answer it in Stripe's dashboard by ${time(dueBy)}, or accept it; without an answer it is lost.`
        : "Answer it in Stripe's dashboard, or accept it; without an answer it is lost.",
      resolvedTitle: "A dispute is over",
      resolved: `${OUTCOMES[text(outcome)] ?? "Stripe has closed it."} (Dispute ${text(dispute)}.)`,
    }),
  },
  "two-memberships": {
    // the sync records when it is over
    read: overWith("isOver"),
    words: ({ userId, first, second }) => ({
      title: "A member pays twice",
      wrong: `The account ${text(userId)} has two memberships that renew, ${text(first)} and ${text(second)} at Stripe.`,
      means: "Both are charged, and one is enough. The member was told, and can cancel either.",
      todo: `Cancel ${text(second)} in Stripe's dashboard, and refund its payments.`,
      resolvedTitle: "A member pays once again",
      resolved: `One of the two memberships of account ${text(userId)} has ended, or ends with its period.`,
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
      title: "Mail cannot be sent",
      wrong: `The mail server could not be used${reason ? ` (${text(reason)})` : ""}${
        time(since) ? ` since ${time(since)}` : ""
      }.`,
      means:
        "Nobody gets password links, confirmations or receipts until it can be; they wait, and go out by themselves while they are still worth it.",
      todo: "See whether the mail server runs, and whether its address and password in SMTP_URL are right.",
      commands: ["mail doctor", "mail status"],
      resolvedTitle: "Mail could not be sent for a while",
      resolved: `The mail server could not be used${reason ? ` (${text(reason)})` : ""}, and works again. This could not be mailed to you before. What waited has been sent, unless it had expired: 'mail status' counts it.`,
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
      title: "The mail server refuses mail",
      wrong: `${number(refused)} mails of the last 24 hours were refused, most with '${text(reply)}', beside ${number(sent)} that were sent; addresses that do not exist are not among them.`,
      means: "Some people wait in vain for password links, confirmations or notices.",
      todo: "The mail server's answer says why: often a missing SPF or DKIM record, or a bad reputation. After fixing it, send again what is still worth it.",
      commands: ["mail doctor", "mail retry"],
      resolvedTitle: "The mail server takes mail again",
      resolved: "Mail was sent, and for some hours none was refused.",
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
      ...open
        .map(({ key, facts }): Reading => ({ state: "good", facts, id: idOf(key) }))
        .filter((one) => !pausedIssues.some(({ id }) => id === one.id)),
    ],
    words: ({ slug, reason }) => ({
      title: "An issue of the newsletter is held back",
      wrong: `The site has paused the issue '${text(slug)}': ${withoutAddresses(text(reason))}.`,
      means: "Those who have not got it yet will not get it until it is resumed.",
      todo: "Mend the cause, then resume it, or cancel what is left.",
      commands: [
        `newsletter status ${text(slug)}`,
        "mail doctor",
        `newsletter resume ${text(slug)}`,
      ],
      resolvedTitle: "The newsletter's issue goes on",
      resolved: `The issue '${text(slug)}' is not held back any more.`,
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
      ...open
        .map(({ key, facts }): Reading => ({ state: "good", facts, id: idOf(key) }))
        .filter((one) => !complaints.some(({ id }) => id === one.id)),
    ],
    words: ({ slug, complaints, sent }) => ({
      title: "Readers call an issue of the newsletter spam",
      wrong: `${number(complaints)} recipients of the issue '${text(slug)}' have complained of it to their mail provider, of ${number(sent)} who were sent it.`,
      means:
        "They get no more mail. From 0.3 % on, the large providers put your mail, password links included, into the spam folder; what the site has not sent of the issue by then waits.",
      todo: "Ask who these people are: somebody who does not remember to have subscribed calls any letter spam. Look at the source of the newest addresses.",
      commands: [`newsletter status ${text(slug)}`, "subscribers stats"],
      resolvedTitle: "Complaints about an issue are over",
      resolved: `For 30 days there were fewer than three about the issue '${text(slug)}'.`,
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
          ? "Visitors notice nothing, but when it is full there are no more backups."
          : "When it is full, nobody can sign up, pay or save anything.",
      todo: "Make room, or enlarge the disk: look for logs, old backups and other programs' files first.",
      resolvedTitle: "The disk has room again",
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
        ? `The newest backup is of ${time(newest)}, and the next one is overdue or has failed.`
        : "There is no backup yet, although BACKUP_EVERY is set: it is overdue or has failed.",
      means:
        "Visitors notice nothing. What happened since that backup would be lost with the disk.",
      todo: "Make one by hand: if it fails, it says why. The site tries again every quarter of an hour.",
      commands: ["backup", "backup list"],
      resolvedTitle: "There is a new backup",
      resolved: time(newest) ? `The newest backup is of ${time(newest)}.` : "A backup was made.",
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
      title: "The site crashes again and again",
      wrong: `The program has ended ${number(crashes)} times within half an hour without being stopped, and was started again.`,
      means: "Visitors get errors each time, and forms in flight fail.",
      todo: "Look at the last lines of the log before each start. Often memory has run out ('journalctl -k' names a killed process), or the newest change of a setting is to blame.",
      resolvedTitle: "The site runs steadily again",
      resolved: "The program has not crashed for half an hour.",
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
      title: "The database runs out of connections",
      wrong: `${number(used)} of the database's ${number(most)} connections are in use.`,
      means: "When none is left, pages show errors and nobody can sign in or pay.",
      todo: "See who holds them with 'select * from pg_stat_activity', run fewer instances or programs on this database, or raise its max_connections.",
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
      title: "The database could not be reached",
      wrong: `The site could not use its database for ${number(minutes, "minute")}.`,
      means: "Pages showed visitors as signed out, and forms failed.",
      todo: "See the database's log for the reason.",
      resolvedTitle: "The database could not be reached for a while",
      resolved: `The site could not use its database for ${number(minutes, "minute")}: pages showed visitors as signed out, and forms failed. It works again. This could not be mailed to you before; see the database's log for the reason.`,
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
      title: "The edition cannot be taken",
      wrong: "For a day the edition in CONTENT_DIR has had a mistake, or could not be read.",
      means: "Members still read the last good edition; what was changed since does not appear.",
      todo: "The first command names every mistake with its file and line. The site takes the edition by itself once they are fixed.",
      commands: ["content check"],
      resolvedTitle: "The edition is taken again",
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
      wrong: "For a day site.yml or a file in pages has had a mistake.",
      means: "Visitors see the site as it was before; texts are not held back.",
      todo: "The command names every mistake with its file and line. The site takes the files by itself once they are fixed.",
      commands: ["content check"],
      resolvedTitle: "The site's words and pages are taken again",
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
      wrong: `Your book is there, but the site has the sample's ${sampleParts(currentSite()).join(", ")}.`,
      means: "Visitors read another title, another author and invented ratings beside your texts.",
      todo: "The first command prints a site.yml to begin with. Save it in the edition's folder, and write your own words into it.",
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

/** Returns "bad", "good", or "unknown" if neither applies. */
export function judge(isBad: boolean, isGood: boolean): State {
  if (isBad) return "bad";
  return isGood ? "good" : "unknown";
}

function isOlder(time: string | null | undefined, milliseconds: number, now: Date): boolean {
  return time ? !isWithin(new Date(time), milliseconds, now) : false;
}

/** Removes e-mail addresses, which a mail server's reply may quote. */
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
