import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Issue } from "~/features/newsletter/read-issue.server";
import { type Database, getDatabase } from "~db/client";

/** The form's toasts: added, already on the list, and failed. */
export const SUCCESS = {
  title: "🎉 Success!",
  description: "Thanks for subscribing! You're on the list.",
  variant: "default",
};
export const ALREADY = {
  title: "Uh oh! Something went wrong.",
  description: "This email is already subscribed.",
  variant: "destructive",
};
export const FAILED = {
  title: "Uh oh! Something went wrong.",
  description: "There was a problem with your subscription.",
  variant: "destructive",
};

/** An issue without images, as read from a file. */
export function issueOf(changes: Partial<Issue> = {}): Issue {
  return {
    slug: "the-first-mile",
    subject: "The first mile",
    preview: "A start.",
    premium: false,
    markdown: "Dear walker,\n\ngo on.\n",
    images: [],
    warnings: [],
    ...changes,
  };
}

/** Adds confirmed subscribers in one statement: `walker1@example.test`, `walker2@example.test` and so on. */
export async function addWalkers(count: number, { db }: Database = getDatabase()): Promise<void> {
  await db.execute(sql`
    insert into subscribers (email, confirmed_at, unsubscribe_token)
    select 'walker' || n || '@example.test', now(), lpad('token' || n, 22, 'A') from generate_series(1, ${count}::int) n`);
}

export const PNG_PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A folder with an issue's file, named by `file`, and further files by name; `remove` deletes it. */
export function issueFile(
  text: string,
  others: Record<string, Buffer> = {},
): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-issue-"));
  const file = join(folder, "issue.md");
  writeFileSync(file, text);
  for (const [name, content] of Object.entries(others)) writeFileSync(join(folder, name), content);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
