import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "./client";
import { JOURNAL } from "./known-migrations";
import { programVersion } from "./program-version";

const noteSchema = z.object({
  release: z.string(),
  newest: z.number(),
  backup: z.string().nullable(),
});

/**
 * What the last upgrade has left for an older program to tell its operator: the release that made it, its newest
 * migration, and the name of the backup made before.
 */
export type UpgradeNote = z.infer<typeof noteSchema>;

/**
 * Leaves a note of this upgrade as the comment on the journal, in the transaction of the upgrade: no table, which older
 * backups and programs would not know.
 */
export async function leaveUpgradeNote(
  newest: number,
  backup: string | null,
  executor: Executor,
): Promise<void> {
  const note: UpgradeNote = { release: programVersion(), newest, backup };
  const text = JSON.stringify(note).replaceAll("'", "''");
  await executor.execute(sql.raw(`comment on table ${JOURNAL} is '${text}'`));
}

/** The note of the upgrade that applied this migration as its last; null if there is none. */
export async function readUpgradeNote(
  newest: number,
  executor: Executor,
): Promise<UpgradeNote | null> {
  const [row] = await executor.execute<{ note: string | null }>(
    sql.raw(`select obj_description(to_regclass('${JOURNAL}'), 'pg_class') as note`),
  );
  try {
    const note = noteSchema.parse(JSON.parse(row?.note ?? ""));
    return note.newest === newest ? note : null;
  } catch {
    return null;
  }
}
