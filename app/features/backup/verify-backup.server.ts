import { formatCount } from "~/features/newsletter/format-count";
import { type ArchiveEntry, BrokenBackup, readAll, readArchive } from "./archive-reader.server";
import { countRows, type End, type Manifest, sequencesSchema } from "./backup-format";

/** A backup that was read completely and is intact. */
export type VerifiedBackup = { manifest: Manifest; end: End };

/** Says when, by what and of how much a backup was made. */
export function describeBackup({ manifest, end }: VerifiedBackup): string {
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  const files = end.entries.filter(({ name }) => name.startsWith("files/")).length;
  return `Made ${manifest.createdAt} by release ${manifest.program} from PostgreSQL ${manifest.postgresql}: ${formatCount(rows, "row")} in ${formatCount(manifest.tables.length, "table")}, ${formatCount(files, "file")}.`;
}

/** Reads a whole backup and checks every digest and row count. Throws a BrokenBackup. */
export async function verifyBackup(source: AsyncIterable<Uint8Array>): Promise<VerifiedBackup> {
  const rows = new Map<string, number>();
  let hasSequences = false;
  const verified = await readArchive(source, {
    onManifest: async ({ tables }) => {
      for (const { schema, name } of tables) rows.set(`${schema}.${name}`, 0);
    },
    onEntry: async ({ kind, content }) => {
      if (kind.kind === "sequences") hasSequences = await readsAsSequences(content);
      if (kind.kind !== "part") return;
      const before = rows.get(kind.table);
      if (before === undefined) throw contradictory();
      let lines = 0;
      for await (const chunk of content) lines += countRows(chunk);
      rows.set(kind.table, before + lines);
    },
  });
  const told = Object.entries(verified.end.rows);
  if (!hasSequences || told.length !== rows.size) throw contradictory();
  if (told.some(([table, count]) => rows.get(table) !== count)) throw contradictory();
  return verified;
}

async function readsAsSequences(content: ArchiveEntry["content"]): Promise<boolean> {
  try {
    return sequencesSchema.safeParse(JSON.parse(String(await readAll(content)))).success;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function contradictory(): BrokenBackup {
  return new BrokenBackup("The backup was altered: its parts contradict each other.");
}
