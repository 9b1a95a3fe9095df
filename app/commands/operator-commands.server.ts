import { randomUUID } from "node:crypto";
import { env } from "~/env.server";
import { utcDateTime } from "~/features/checks/alerts.server";
import { composeLetter } from "~/features/checks/compose-letter.server";
import { describeAlert, mailOperator, siteHost } from "~/features/checks/report-alerts.server";
import { renderMail } from "~/features/mail/render-mail";
import { operatorTestMail } from "~/features/mail/templates/operator-mails";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import { monthAfter, utcMonth } from "~/features/statistics/utc-day";
import { db } from "~db/client";
import { OperatorError } from "~db/operator-error";
import { findOpenAlerts, findResolvedAlerts } from "~db/queries/operator-alerts";
import { sendAndDescribe } from "./mail-commands.server";
import { note, print, whileRead, writeOut } from "./output.server";
import { isSiteSending } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { alerts as matters };

type AlertsOptions = { all?: boolean; json?: boolean };
type LetterOptions = { month?: string; send?: boolean };

/** How many resolved alerts `operator matters --all` prints. */
const RESOLVED_SHOWN = 20;

/** `operator matters`: prints the open alerts and, with `--all`, the latest resolved ones. */
async function alerts({ all = false, json = false }: AlertsOptions): Promise<void> {
  await withDatabase(async () => {
    const open = await findOpenAlerts();
    const resolved = all ? await findResolvedAlerts(RESOLVED_SHOWN) : [];
    const described = await Promise.all([...open, ...resolved].map(describeAlert));
    const shown = described.filter((one) => one !== null);
    if (json) {
      await whileRead(() => writeOut(`${JSON.stringify(shown, null, 2)}\n`));
      return;
    }
    if (open.length === 0) print("There are no open alerts.");
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
    if (!env().OPERATOR_EMAIL) note("OPERATOR_EMAIL isn't set, so alerts aren't mailed.");
  });
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
    if (!mail) throw new OperatorError(`The site didn't exist in ${wanted}.`);
    if (to === null) {
      const { subject, text } = await renderMail(mail);
      await whileRead(() => writeOut(`Subject: ${subject}\n\n${text}`));
      return;
    }
    // a random part, because an operator may send it again
    const key = `operator-letter:${wanted}:${randomUUID()}`;
    await db().transaction((tx) => mailOperator(mail, key, tx));
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
  throw new OperatorError("OPERATOR_EMAIL isn't set: set it to your address and restart the site.");
}
