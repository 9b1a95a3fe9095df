import { randomBytes } from "node:crypto";
import type { PreparedIssue } from "~/features/mail/campaign-lane.server";

type MessageOptions = {
  subject: string;
  /** Identifies the list (RFC 2919), without angle brackets. */
  listId: string;
  unsubscribeUrl: (token: string) => string;
  /** Both bodies, with the address to unsubscribe in each. */
  render: (unsubscribeUrl: string) => Promise<{ html: string; text: string }>;
};

/**
 * Renders a message once for many recipients, who differ in the address to unsubscribe. It has List-Unsubscribe headers
 * for one-click unsubscribing (RFC 8058).
 */
export async function prepareMessage({
  subject,
  listId,
  unsubscribeUrl,
  render,
}: MessageOptions): Promise<PreparedIssue> {
  // a host that can never exist, and a path that no author can have written
  const placeholder = `https://unsubscribe.invalid/${randomBytes(16).toString("hex")}`;
  const rendered = await render(placeholder);
  // Nodemailer takes a carriage return by itself for no line break
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
          "List-Id": `<${listId}>`,
          "List-Unsubscribe": `<${url}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
      };
    },
  };
}
