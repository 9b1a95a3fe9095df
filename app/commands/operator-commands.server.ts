import { randomUUID } from "node:crypto";
import { env } from "~/env.server";
import { composeLetter } from "~/features/checks/compose-letter.server";
import { matterOf, utcDateTime } from "~/features/checks/matters.server";
import {
  commandLine,
  mailOperator,
  matterMailKey,
  siteHost,
} from "~/features/checks/report-matters.server";
import { renderMail } from "~/features/mail/render-mail";
import { operatorTestMail } from "~/features/mail/templates/operator-mails";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { getDatabase } from "~db/client";
import { OperatorError } from "~db/operator-error";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { findClearedMatters, findOpenMatters } from "~db/queries/operator-matters";
import type { OperatorMatter } from "~db/schema";
import { sendAndDescribe } from "./mail-commands.server";
import { note, print, whileRead, writeOut } from "./output.server";
import { isSiteSending } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

type MattersOptions = { all?: boolean; json?: boolean };
type LetterOptions = { month?: string; send?: boolean };

/** Matters that are over, in `operator matters --all`. */
const CLEARED_SHOWN = 20;

/** `operator matters`: prints what needs a hand, and with `--all` what has lately needed one. */
export async function matters({ all = false, json = false }: MattersOptions): Promise<void> {
  await withDatabase(async () => {
    const open = await findOpenMatters();
    const cleared = all ? await findClearedMatters(CLEARED_SHOWN) : [];
    const described = await Promise.all([...open, ...cleared].map(describe));
    const shown = described.filter((one) => one !== null);
    if (json) {
      await whileRead(() => writeOut(`${JSON.stringify(shown, null, 2)}\n`));
      return;
    }
    if (open.length === 0) print("Nothing needs a hand.");
    for (const { state, title, since, until, wrong, todo, commands, mail } of shown) {
      if (until !== null) {
        print(`${title}: from ${utcDateTime(since)} to ${utcDateTime(until)}`);
        continue;
      }
      print(
        `${title}, since ${utcDateTime(since)}${state === "noticed" ? " (not reported yet)" : ""}`,
      );
      print(`  ${wrong}`);
      print(`  ${todo}`);
      if (mail && mail.state !== "sent") {
        print(`  The mail about it: ${mail.state}${mail.reply ? ` (${mail.reply})` : ""}.`);
      }
      for (const command of commands) print(`    ${command}`);
      print();
    }
    if (!env().OPERATOR_EMAIL) note("OPERATOR_EMAIL is not set, so nobody is told by mail.");
  });
}

async function describe({
  id,
  kind,
  facts,
  openedAt,
  reportedAt,
  isMailed,
  clearedAt,
}: OperatorMatter) {
  const matter = matterOf(kind);
  if (!matter) return null;
  const mail = isMailed ? await findMailByIdempotencyKey(matterMailKey(id)) : null;
  const { title, wrong, todo, commands = [] } = matter.words(facts);
  return {
    kind,
    /** Noticed, but not for long enough to be reported; reported, in the log and perhaps by mail; or over. */
    state: clearedAt ? "over" : reportedAt ? "reported" : "noticed",
    title,
    wrong,
    todo,
    commands: commands.map(commandLine),
    since: openedAt,
    until: clearedAt,
    /** The state of the mail about it; null if there was none. */
    mail: mail && { state: mail.state, reply: mail.lastReply },
  };
}

/** `operator letter`: prints the letter about a month, by default the last one, or with `--send` queues it. */
export async function letter({ month, send = false }: LetterOptions): Promise<void> {
  const now = utcMonth(new Date());
  const last = monthAfter(now, -1);
  const wanted = month ?? last;
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(wanted) || wanted >= now) {
    const found = printableText(wanted.slice(0, 20));
    throw new OperatorError(
      `--month: found '${found}', wanted a month that is over, such as ${last}.`,
    );
  }
  const to = send ? requireOperatorEmail() : null;
  await withDatabase(async () => {
    const mail = await composeLetter(wanted);
    if (!mail) throw new OperatorError(`The site did not exist in ${wanted}.`);
    if (to === null) {
      const { subject, text } = await renderMail(mail);
      await whileRead(() => writeOut(`Subject: ${subject}\n\n${text}`));
      return;
    }
    // a random part, because an operator may send it again
    const key = `operator-letter:${wanted}:${randomUUID()}`;
    await getDatabase().db.transaction((tx) => mailOperator(mail, key, tx));
    print(`The letter about ${wanted} is queued to OPERATOR_EMAIL.`);
    await isSiteSending();
  });
}

/** `operator test`: sends a mail to OPERATOR_EMAIL now, and exits with 1 unless the mail server accepts it. */
export async function test(): Promise<void> {
  await sendAndDescribe(requireOperatorEmail(), operatorTestMail({ host: siteHost() }));
}

function requireOperatorEmail(): string {
  const { OPERATOR_EMAIL } = env();
  if (OPERATOR_EMAIL) return OPERATOR_EMAIL;
  throw new OperatorError(
    "OPERATOR_EMAIL is not set: set it to your address, and restart the site.",
  );
}
