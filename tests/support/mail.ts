import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { vi } from "vitest";
import { type Database, getDatabase } from "~db/client";

/** A decoded message: headers by lower-case name, and both bodies. */
export type Mail = { headers: Record<string, string>; text: string; html: string };

/** Parses a multipart/alternative message of text and HTML (RFC 5322 and 2045). Throws for any other. */
export function readMail(message: Buffer): Mail {
  const { headers, body } = readPart(message.toString("latin1"));
  const boundary = /^multipart\/alternative;.*boundary="?([^";]+)"?/s.exec(
    headers["content-type"] ?? "",
  )?.[1];
  if (!boundary) throw new Error("The message is not multipart.");
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/, "")));
  const form = (type: string) => {
    const part = parts.find(({ headers }) => headers["content-type"]?.startsWith(type));
    if (!part) throw new Error(`The message has no ${type} part.`);
    return decodeBody(part.body, part.headers["content-transfer-encoding"]);
  };
  return { headers, text: form("text/plain"), html: form("text/html") };
}

/** The only link in a mail's text with this path. */
export function linkIn(mail: Mail, path: string): URL {
  const links = mail.text.split(/\s+/).filter((word) => word.includes(path));
  if (links.length !== 1) throw new Error(`The mail has ${links.length} links to ${path}.`);
  return new URL(String(links[0]));
}

function readPart(part: string): { headers: Record<string, string>; body: string } {
  const end = part.indexOf("\r\n\r\n");
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: part.slice(end + 4) };
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, content: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(content, "base64").toString()
        : unquote(content.replaceAll("_", " ")),
    );
}

function decodeBody(body: string, encoding = "7bit"): string {
  switch (encoding) {
    case "base64":
      return Buffer.from(body, "base64").toString();
    case "quoted-printable":
      return unquote(body.replace(/=\r\n/g, ""));
    default:
      return Buffer.from(body, "latin1").toString();
  }
}

function unquote(content: string): string {
  const bytes = content.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}

/** Waits for the mail with this subject to this address in the outbox of a program's data directory. */
export function mailInOutbox(dataDir: string, to: string, subject: string): Promise<Mail> {
  const outbox = join(dataDir, "outbox");
  return vi.waitUntil(
    () => {
      const names = readdirSync(dataDir).includes("outbox") ? readdirSync(outbox) : [];
      return names
        .filter((name) => name.endsWith(".eml"))
        .map((name) => readMail(readFileSync(join(outbox, name))))
        .find(({ headers }) => headers.to === to && headers.subject === subject);
    },
    { timeout: 60_000 },
  );
}

/** Waits until no mail is being sent and none is due in the database's mail queue. */
export async function mailIdle({ db }: Database = getDatabase()): Promise<void> {
  await vi.waitUntil(
    async () => {
      const [row] = await db.execute<{ busy: boolean }>(sql`
        select exists (
          select from mails where state = 'sending' or (state = 'queued' and due_at <= now())
        ) as busy`);
      return row?.busy === false;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** Fills the mail queue beyond the site's limit with mails that are not due. */
export async function fillMailQueue({ db }: Database = getDatabase()): Promise<void> {
  await db.execute(sql`
    insert into mails (kind, priority, recipient, address_hash, due_at, expires_at)
    select 'author-notice', 1, 'a@example.test', '', now() + interval '1 hour', now() + interval '1 day'
    from generate_series(1, 10001)`);
}
