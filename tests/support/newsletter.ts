import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Issue } from "~/features/newsletter/read-issue.server";
import { getDatabase } from "~db/client";

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
export async function addWalkers(count: number): Promise<void> {
  await getDatabase().db.execute(sql`
    insert into subscribers (email, confirmed_at, unsubscribe_token)
    select 'walker' || n || '@example.test', now(), 'token' || n from generate_series(1, ${count}::int) n`);
}

/** A folder with an issue's file, named by `file`; `remove` deletes it. */
export function issueFile(text: string): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "golden-path-issue-"));
  const file = join(folder, "issue.md");
  writeFileSync(file, text);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
