import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { countQuery } from "~/observability/metrics.server";
import { connectDatabase, openDatabase as connectLater, setDatabase } from "~db/client";
import { openEmbeddedPostgres } from "~db/embedded";
import { migrateDatabase } from "~db/migrate";

/** How long a statement may take that a visitor waits for, in milliseconds. */
const VISITORS_TIMEOUT_MS = 10_000;

/** An open database and how to let go of it again. */
export type OpenedDatabase = { close: () => Promise<void> };

/**
 * Opens the database of this process, migrated: the one at DATABASE_URL, else the embedded one. `serve`
 * owns the embedded one alone; a `command` uses it beside a serving program. The signal gives a start
 * up that is under way. Throws an OperatorError.
 */
export async function openDatabase(
  purpose: "serve" | "command",
  signal?: AbortSignal,
): Promise<OpenedDatabase> {
  const { DATABASE_URL, DATA_DIR } = env();
  const embedded = DATABASE_URL
    ? null
    : await openEmbeddedPostgres({
        dataDir: DATA_DIR,
        purpose,
        signal,
        log: (level, message) => log()[level](message),
        // another program owns the data now; two must not serve from them
        onOwnershipLost: () => process.kill(process.pid, "SIGTERM"),
      });
  try {
    const database = await connectDatabase(DATABASE_URL ?? embedded?.url ?? "", {
      onQuery: countQuery,
      setting: embedded ? "the embedded PostgreSQL" : "DATABASE_URL",
      ...(purpose === "serve" ? { statementTimeout: VISITORS_TIMEOUT_MS } : {}),
    });
    await migrateDatabase(database);
    setDatabase(database);
    return {
      close: async () => {
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/**
 * For remix-serve, which starts nothing of ours: makes the database at DATABASE_URL this process's, to
 * be connected when first asked something. Without one, pages show nobody signed in and forms fail.
 */
export function attachExternalDatabase(): void {
  const { DATABASE_URL } = env();
  if (DATABASE_URL) setDatabase(connectLater(DATABASE_URL, { onQuery: countQuery }));
}
