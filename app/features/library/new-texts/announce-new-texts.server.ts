import { env } from "~/env.server";
import { enqueueMails } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { newTextsMail } from "~/features/mail/templates/new-texts-mail";
import { unsubscribeHeaders, unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { startTimedWork } from "~/observability/timed-work.server";
import { db, type Transaction } from "~db/client";
import { lockNewTextsReaders, takeTextsToAnnounce } from "~db/queries/new-texts";
import { currentEdition } from "../current-edition.server";
import type { EditionEntry } from "../edition";
import { labelAbove } from "../entry-label";
import { documentPath } from "../library-paths";
import { newTextsTokens } from "./new-texts-consent.server";

const MINUTE_MS = 60_000;

/**
 * How long a published text waits for others, in milliseconds. With a minute until it is seen and one until the next
 * look, its mail is queued within an hour.
 */
const WAIT_MS = 57 * MINUTE_MS;

/** Looks for new texts every minute. The returned function stops it. */
export function startAnnouncingNewTexts(): () => Promise<void> {
  return startTimedWork("new texts", {
    work: announceNewTexts,
    firstMs: MINUTE_MS,
    everyMs: MINUTE_MS,
    failure: "members could not be mailed about new texts; it will be tried again in a minute",
  });
}

/**
 * Queues mails about texts that have been published, once for each text. Text and mails are one transaction, so it is
 * all or nothing, wherever a process is killed.
 */
export async function announceNewTexts(): Promise<void> {
  const edition = currentEdition();
  if (!edition) return;
  const now = new Date();
  const published = [...edition.chapters(now), ...edition.extras(now)];
  const texts = {
    ids: edition.all().map(({ id }) => id),
    published: published.map(({ id }) => id),
  };
  const tokenOf = await newTextsTokens();
  const mailed = await db().transaction(async (tx) => {
    const ids = new Set(await takeTextsToAnnounce(texts, WAIT_MS, tx));
    const entries = published.filter(({ id }) => ids.has(id));
    return entries.length === 0
      ? null
      : { texts: ids.size, mails: await queueMails(entries, tokenOf, tx) };
  });
  if (!mailed) return;
  log().info(mailed, "members are mailed about new texts");
  wakeMailWorker();
}

/** Mails queued in one statement. */
const BATCH = 100;

/** Stands for a member's token while the mail is rendered for all; never sent. */
const PLACEHOLDER = "the-token-of-a-member";

async function queueMails(
  entries: readonly EditionEntry[],
  tokenOf: (userId: string) => string,
  tx: Transaction,
): Promise<number> {
  const { PUBLIC_URL, MAIL_POSTAL_ADDRESS: postalAddress = null } = env();
  const members = await lockNewTextsReaders(tx);
  const { subject, html, text } = await renderMail(
    newTextsMail({
      texts: entries.map((entry) => ({
        ...entry,
        label: labelAbove(entry),
        url: PUBLIC_URL + documentPath(entry),
      })),
      list: { unsubscribeUrl: unsubscribeUrl(PLACEHOLDER), postalAddress },
    }),
  );
  const mailTo = ({ id, email }: (typeof members)[number]) => {
    const token = tokenOf(id);
    const message = {
      subject,
      html: html.replaceAll(PLACEHOLDER, token),
      text: text.replaceAll(PLACEHOLDER, token),
      headers: {
        "List-Id": `<new-texts.${new URL(PUBLIC_URL).hostname}>`,
        ...unsubscribeHeaders(unsubscribeUrl(token)),
      },
    };
    return { kind: "new-texts" as const, to: email, message };
  };
  for (let at = 0; at < members.length; at += BATCH) {
    await enqueueMails(members.slice(at, at + BATCH).map(mailTo), tx);
  }
  return members.length;
}
