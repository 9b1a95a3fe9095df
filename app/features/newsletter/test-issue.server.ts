import { randomBytes, randomUUID } from "node:crypto";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { unsubscribeHeaders, unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { insertNewsletterImages } from "~db/queries/newsletter-images";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import { renderIssueMail } from "./issue-mail.server";
import { contentOf, servedImage } from "./preview-issue.server";
import type { Issue } from "./read-issue.server";

/**
 * Queues an issue's mail to one address, on the list or not, with "Test: " before the subject. It makes no page. Returns
 * the mail's idempotency key.
 */
export async function queueTest(issue: Issue, to: string): Promise<string> {
  await insertNewsletterImages(issue.images);
  const subscriber = await findSubscriberByEmail(to);
  // for an address not on the list, the link opens the page but unsubscribes nobody
  const url = unsubscribeUrl(subscriber?.unsubscribeToken ?? randomBytes(16).toString("base64url"));
  const message = {
    ...(await renderIssueMail(contentOf(issue, servedImage), url)),
    subject: `Test: ${issue.subject}`,
    headers: unsubscribeHeaders(url),
  };
  const key = `newsletter-test:${randomUUID()}`;
  await enqueueMail({ kind: "newsletter-test", to, message, idempotencyKey: key });
  return key;
}
