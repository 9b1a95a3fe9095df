import {
  type MailWorker,
  type MailWorkerOptions,
  startMailWorker,
} from "~/features/mail/mail-worker.server";
import { prepareIssue } from "~/features/newsletter/issue-mail.server";
import { MAIL_COMPOSERS } from "~/server/mail-composers.server";

/** Starts a mail worker in this process, as the site does, with the settings and database that are set now. */
export async function runMailWorker(options: Partial<MailWorkerOptions> = {}): Promise<MailWorker> {
  const worker = startMailWorker({
    composers: MAIL_COMPOSERS,
    issueSource: prepareIssue,
    ...options,
  });
  await worker.ready;
  return worker;
}
