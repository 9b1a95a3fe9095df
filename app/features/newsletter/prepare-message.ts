import { randomBytes } from "node:crypto";
import MimeNode from "nodemailer/lib/mime-node";
import { encode, wrap } from "nodemailer/lib/qp";
import type { PreparedIssue } from "~/features/mail/issue-source";

type MessageOptions = {
  /** As in `MAIL_FROM`. */
  from: string;
  subject: string;
  /** Identifies the list (RFC 2919), without angle brackets. */
  listId: string;
  unsubscribeUrl: (token: string) => string;
  /** Both bodies, with the address to unsubscribe in each. */
  render: (unsubscribeUrl: string) => Promise<{ html: string; text: string }>;
};

/** Columns of a line, with room for the soft line break after a piece (RFC 2045, 6.7). */
const LINE_LENGTH = 74;

/** Where the address to unsubscribe goes; encoded text has no such character. */
const SLOT = "\0";

/** Printable ASCII without brackets and blanks: nothing that could end a header or an address. */
const ADDRESS = /^[!-;=?-~]+@[!-;=?-~]+$/;

/**
 * Composes a message once for many recipients. They differ in To, Message-ID, Date and the address to
 * unsubscribe; all around that is rendered and encoded ahead, since encoding each copy by itself would take most
 * of the time of sending it. The message has List-Unsubscribe headers for one-click unsubscribing (RFC 8058).
 */
export async function prepareMessage({
  from,
  subject,
  listId,
  unsubscribeUrl,
  render,
}: MessageOptions): Promise<PreparedIssue> {
  // a host that can never exist, and a path that no author can have written
  const placeholder = `https://unsubscribe.invalid/${randomBytes(16).toString("hex")}`;
  const { html, text } = await render(placeholder);
  const boundary = `=_${randomBytes(12).toString("hex")}`;
  const head = [
    headerOf("From", from),
    headerOf("Subject", subject),
    `List-Id: <${listId}>`,
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ].join("\r\n");
  const part = (type: string, body: string) => {
    const pieces = body.replace(/\r\n?|\n/g, "\r\n").split(placeholder);
    if (pieces.length < 2) throw new Error(`The ${type} part has no address to unsubscribe.`);
    const partHead = `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;
    return partHead + pieces.map(quoted).join(SLOT);
  };
  const parts = [part("text/plain", text), part("text/html", html)].join("\r\n");
  const [first = Buffer.alloc(0), ...others] = `${head}\r\n\r\n${parts}\r\n--${boundary}--\r\n`
    .split(SLOT)
    .map((piece) => Buffer.from(piece, "latin1"));
  return {
    compose({ email, unsubscribeToken, messageId, date }) {
      if (!ADDRESS.test(email)) throw new Error("The recipient's address is malformed.");
      const url = unsubscribeUrl(unsubscribeToken);
      const own = `To: <${email}>\r\nMessage-ID: ${messageId}\r\nDate: ${date.toUTCString().replace("GMT", "+0000")}\r\nList-Unsubscribe: <${url}>\r\n`;
      // on lines of its own, joined to what surrounds it by soft line breaks
      const inText = Buffer.from(`=\r\n${quoted(url)}=\r\n`, "latin1");
      return Buffer.concat([
        Buffer.from(own, "latin1"),
        first,
        ...others.flatMap((piece) => [inText, piece]),
      ]);
    },
  };
}

function quoted(text: string): string {
  return wrap(encode(Buffer.from(text)), LINE_LENGTH);
}

/** One header, encoded and folded. */
function headerOf(name: string, value: string): string {
  const headers = new MimeNode("text/plain").setHeader(name, value).buildHeaders();
  const line = headers.split(/\r\n(?![ \t])/).find((header) => header.startsWith(`${name}:`));
  if (!line) throw new Error(`The header ${name} is empty.`);
  return line;
}
