import { randomBytes } from "node:crypto";
import type { PreparedIssue } from "~/features/mail/campaign-lane.server";
import { unsubscribeHeaders } from "~/features/mail/unsubscribe-links.server";

type MessageOptions = {
  subject: string;
  /** Identifies the list (RFC 2919), without angle brackets. */
  listId: string;
  /** What Google counts complaints by: https://support.google.com/mail/answer/6254652 */
  feedbackId: string;
  unsubscribeUrl: (token: string) => string;
  /** Renders both bodies, each with the unsubscribe link. */
  render: (unsubscribeUrl: string) => Promise<{ html: string; text: string }>;
};

/**
 * Renders a message once for many recipients, who differ only in the unsubscribe link. Adds List-Unsubscribe headers
 * for one-click unsubscribing (RFC 8058).
 */
export async function prepareMessage({
  subject,
  listId,
  feedbackId,
  unsubscribeUrl,
  render,
}: MessageOptions): Promise<PreparedIssue> {
  // a host that cannot exist and a path that no author can have written
  const placeholder = `https://unsubscribe.invalid/${randomBytes(16).toString("hex")}`;
  const rendered = await render(placeholder);
  // nodemailer does not treat a lone carriage return as a line break
  const html = rendered.html.replace(/\r\n?/g, "\n");
  const text = rendered.text.replace(/\r\n?/g, "\n");
  for (const [type, body] of Object.entries({ "text/plain": text, "text/html": html })) {
    if (!body.includes(placeholder)) {
      throw new Error(`The ${type} part has no address to unsubscribe.`);
    }
  }
  return {
    compose(unsubscribeToken) {
      const url = unsubscribeUrl(unsubscribeToken);
      return {
        subject,
        text: text.replaceAll(placeholder, url),
        html: html.replaceAll(placeholder, url),
        headers: {
          "Feedback-ID": feedbackId,
          "List-Id": `<${listId}>`,
          ...unsubscribeHeaders(url),
        },
      };
    },
  };
}
