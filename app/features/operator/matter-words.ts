import type { MatterFacts } from "~db/queries/operator-matters";
import type { MatterKind } from "./matter-rules";
import { utcDateTime } from "./utc-date-time";

/** What the operator reads about a matter, in mails, in the log and in the terminal. Names nobody. */
export type MatterWords = {
  /** A headline without a full stop. */
  title: string;
  /** What is wrong, in a sentence. */
  wrong: string;
  /** What it means to visitors and members. */
  means: string;
  /** What to do. */
  todo: string;
  /** The program's commands that help, without its name. */
  commands: string[];
  /** The headline and the sentence of the all-clear. */
  mendedTitle: string;
  mended: string;
};

type Write = (facts: MatterFacts) => MatterWords;

const text = (value: string | number | undefined) => String(value ?? "");
const number = (value: string | number | undefined) => Number(value ?? 0).toLocaleString("en");
const time = (value: string | number | undefined) =>
  value === undefined ? null : utcDateTime(new Date(value));

/** How a dispute ended, by its status at Stripe. */
const OUTCOMES: Record<string, string> = {
  won: "It is won: the payment stays with you.",
  lost: "It is lost: the payment has gone back. If its membership went on, the site has cancelled it.",
  warning_closed: "The bank's question is closed, and the payment stays with you.",
  prevented: "It was prevented, by a refund or otherwise: there is no dispute.",
};

const WORDS: Record<MatterKind, Write> = {
  "webhooks-refused": ({ count, livemodeMismatches }) => ({
    title: "Stripe's webhooks are refused",
    wrong:
      Number(livemodeMismatches) > 0
        ? `The site has refused ${number(count)} webhooks and accepted none since: some are of Stripe's other mode, so a test key meets live events or the reverse.`
        : `The site has refused ${number(count)} webhooks and accepted none since, because STRIPE_WEBHOOK_SECRET is not the secret they are signed with.`,
    means:
      "Payments, cancellations and failed renewals reach members minutes or hours late, by the site's own timer.",
    todo: "Compare the endpoint's signing secret at Stripe with STRIPE_WEBHOOK_SECRET, correct it and restart the site. If the doctor finds nothing wrong, a stranger has sent them, and there is nothing to do.",
    commands: ["stripe doctor"],
    mendedTitle: "Stripe's webhooks are accepted again",
    mended: "The site has accepted a webhook since, or for three days none was refused.",
  }),
  "webhooks-silent": ({ payments, lastWebhookAt }) => ({
    title: "Stripe's webhooks do not arrive",
    wrong: `The site has noticed ${count(payments, "payment")} by itself, and no webhook has arrived for six hours since${
      time(lastWebhookAt) ? `; the last one came on ${time(lastWebhookAt)}` : ""
    }.`,
    means:
      "Members get what they paid for when they come back from Stripe's page, but cancellations and failed renewals are noticed hours late.",
    todo: "See whether the endpoint is registered and enabled at Stripe, and whether Stripe's requests get through your proxy and firewall.",
    commands: ["stripe doctor", "stripe setup"],
    mendedTitle: "Stripe's webhooks arrive again",
    mended: "A webhook has arrived. What was missed meanwhile is made up for by the site's timer.",
  }),
  dispute: ({ dispute, dueBy, outcome }) => ({
    title: "A payment is disputed",
    wrong: `A bank has asked for a payment back, or asks about it (dispute ${text(dispute)} at Stripe).`,
    means:
      "While money is withheld, its member has no access and is charged nothing more; the site does both by itself. A mere question of the bank changes nothing.",
    todo: time(dueBy)
      ? `Answer it in Stripe's dashboard by ${time(dueBy)}, or accept it; without an answer it is lost.`
      : "Answer it in Stripe's dashboard, or accept it; without an answer it is lost.",
    commands: [],
    mendedTitle: "A dispute is over",
    mended: `${OUTCOMES[text(outcome)] ?? "Stripe has closed it."} (Dispute ${text(dispute)}.)`,
  }),
  "mail-waiting": ({ reason, since }) => ({
    title: "Mail cannot be sent",
    wrong: `The mail server could not be used${reason ? ` (${text(reason)})` : ""}${
      time(since) ? ` since ${time(since)}` : ""
    }.`,
    means:
      "Nobody gets password links, confirmations or receipts until it can be; they wait, and go out by themselves while they are still worth it.",
    todo: "See whether the mail server runs, and whether its address and password in SMTP_URL are right.",
    commands: ["mail doctor", "mail status"],
    mendedTitle: "Mail could not be sent for a while",
    mended: `The mail server could not be used${reason ? ` (${text(reason)})` : ""}, and works again. This could not be mailed to you before. What waited has been sent, unless it had expired: 'mail status' counts it.`,
  }),
  "mail-refused": ({ refused, sent, reply }) => ({
    title: "The mail server refuses mail",
    wrong: `${number(refused)} mails of the last 24 hours were refused, most with '${text(reply)}', beside ${number(sent)} that were sent; addresses that do not exist are not among them.`,
    means: "Some people wait in vain for password links, confirmations or notices.",
    todo: "The mail server's answer says why: often a missing SPF or DKIM record, or a bad reputation. After mending it, send again what is still worth it.",
    commands: ["mail doctor", "mail retry"],
    mendedTitle: "The mail server takes mail again",
    mended: "Mail was sent, and for some hours none was refused.",
  }),
  "issue-paused": ({ slug, reason }) => ({
    title: "An issue of the newsletter is held back",
    wrong: `The site has paused the issue '${text(slug)}': ${withoutAddresses(text(reason))}.`,
    means: "Those who have not got it yet will not get it until it is resumed.",
    todo: "Find out why the mail server refuses it, then resume it, or cancel what is left.",
    commands: [`newsletter status ${text(slug)}`, "mail doctor", `newsletter resume ${text(slug)}`],
    mendedTitle: "The newsletter's issue goes on",
    mended: `The issue '${text(slug)}' is not held back any more.`,
  }),
  "disk-low": ({ setting, percent, freeMb }) => ({
    title: "The disk is nearly full",
    wrong: `The disk of ${text(setting)} has ${number(percent)} % free (${number(freeMb)} MB).`,
    means:
      setting === "BACKUP_DIR"
        ? "Visitors notice nothing, but when it is full there are no more backups."
        : "When it is full, nobody can sign up, pay or save anything.",
    todo: "Make room, or enlarge the disk: look for logs, old backups and other programs' files first.",
    commands: [],
    mendedTitle: "The disk has room again",
    mended: `The disk of ${text(setting)} has ${number(percent)} % free (${number(freeMb)} MB).`,
  }),
  "backup-late": ({ newest }) => ({
    title: "The backup is late",
    wrong: time(newest)
      ? `The newest backup is of ${time(newest)}, and the next one is overdue or has failed.`
      : "There is no backup yet, although BACKUP_EVERY is set: it is overdue or has failed.",
    means: "Visitors notice nothing. What happened since that backup would be lost with the disk.",
    todo: "Make one by hand: if it fails, it says why. The site tries again every quarter of an hour.",
    commands: ["backup", "backup list"],
    mendedTitle: "There is a new backup",
    mended: time(newest) ? `The newest backup is of ${time(newest)}.` : "A backup was made.",
  }),
  "crash-loop": ({ crashes }) => ({
    title: "The site crashes again and again",
    wrong: `The program has ended ${number(crashes)} times within half an hour without being stopped, and was started again.`,
    means: "Visitors get errors each time, and forms in flight fail.",
    todo: "Look at the last lines of the log before each start. Often memory has run out ('journalctl -k' names a killed process), or the newest change of a setting is to blame.",
    commands: [],
    mendedTitle: "The site runs steadily again",
    mended: "The program has not crashed for half an hour.",
  }),
  "connections-low": ({ used, most }) => ({
    title: "The database runs out of connections",
    wrong: `${number(used)} of the database's ${number(most)} connections are in use.`,
    means: "When none is left, pages show errors and nobody can sign in or pay.",
    todo: "See who holds them with 'select * from pg_stat_activity', run fewer instances or programs on this database, or raise its max_connections.",
    commands: ["db psql"],
    mendedTitle: "The database has connections to spare again",
    mended: `${number(used)} of its ${number(most)} connections are in use.`,
  }),
  "database-unreachable": ({ minutes }) => ({
    title: "The database could not be reached",
    wrong: `The site could not use its database for ${count(minutes, "minute")}.`,
    means: "Pages showed visitors as signed out, and forms failed.",
    todo: "See the database's log for the reason.",
    commands: [],
    mendedTitle: "The database could not be reached for a while",
    mended: `The site could not use its database for ${count(minutes, "minute")}: pages showed visitors as signed out, and forms failed. It works again. This could not be mailed to you before; see the database's log for the reason.`,
  }),
  "edition-not-taken": () => ({
    title: "The edition cannot be taken",
    wrong: "For a day the edition in CONTENT_DIR has had a mistake, or could not be read.",
    means: "Members still read the last good edition; what was changed since does not appear.",
    todo: "The first command names every mistake with its file and line. The site takes the edition by itself once it is mended.",
    commands: ["content check"],
    mendedTitle: "The edition is taken again",
    mended: "Members read the edition in CONTENT_DIR.",
  }),
};

/** The words for a matter. */
export function wordsOf(kind: MatterKind, facts: MatterFacts): MatterWords {
  return WORDS[kind](facts);
}

function count(value: string | number | undefined, noun: string): string {
  return `${number(value)} ${noun}${Number(value) === 1 ? "" : "s"}`;
}

/** A mail server's words may quote an address. */
function withoutAddresses(words: string): string {
  return words.replace(/[^\s<>'"]+@[^\s<>'"]+/g, "…").replace(/\.$/, "");
}
