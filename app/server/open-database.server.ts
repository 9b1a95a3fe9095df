import { reportFullDatabase } from "~/data-directory.server";
import { env } from "~/env.server";
import { backUpBeforeUpgrade } from "~/features/backup/upgrade-backup.server";
import { log } from "~/observability/log.server";
import { queryCounter } from "~/observability/metrics.server";
import { connectDatabase, openDatabase as openLazily, setDatabase } from "~db/client";
import type { OnQuery, PoolLimits } from "~db/connection-pool";
import { openEmbeddedPostgres } from "~db/embedded";
import { migrateDatabase } from "~db/migrate";
import { OperatorError } from "~db/operator-error";

/** Statement timeout while serving visitors, in milliseconds. */
const VISITORS_TIMEOUT_MS = 10_000;

export type OpenedDatabase = { close: () => Promise<void> };

/**
 * Opens and migrates this process's database: the one at DATABASE_URL, else the embedded one. For `serve` the embedded
 * one is owned exclusively, and created if missing; a `command` shares it with a running server. The signal aborts a
 * start in progress. Without `migrate` the schema is left as it is. `limits` apply to the connection pool. Throws an
 * OperatorError.
 */
export async function openDatabase(
  purpose: "serve" | "command",
  signal?: AbortSignal,
  { migrate = true, limits = {} }: { migrate?: boolean; limits?: Partial<PoolLimits> } = {},
): Promise<OpenedDatabase> {
  const { DATABASE_URL, DATA_DIR } = env();
  const embedded = DATABASE_URL
    ? null
    : await openEmbeddedPostgres({
        dataDir: DATA_DIR,
        purpose,
        // a command run in the wrong folder would otherwise succeed, on an empty database
        create: purpose === "serve",
        signal,
        log: (level, message) => log()[level](message),
        // another program owns the data directory now, and two must never serve from it
        onOwnershipLost: () => process.kill(process.pid, "SIGTERM"),
      });
  try {
    const database = await connectDatabase(DATABASE_URL ?? embedded?.url ?? "", {
      onQuery: watchQueries(),
      setting: embedded ? "the embedded PostgreSQL" : "DATABASE_URL",
      ...(purpose === "serve" ? { statementTimeout: VISITORS_TIMEOUT_MS } : {}),
      ...limits,
    });
    if (migrate) {
      await migrateDatabase(database, {
        backUp: (applied) =>
          backUpBeforeUpgrade(database, `schema-${applied}`, {
            isEmbedded: embedded !== null,
            stopping: signal,
          }),
        onWait: (sentence) => log().warn(sentence),
        signal,
      });
    }
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
 * For remix-serve, which starts none of this program's services: sets the database at DATABASE_URL as this
 * process's, connecting on the first query. Throws an OperatorError without DATABASE_URL.
 */
export function attachExternalDatabase(): void {
  const { DATABASE_URL } = env();
  if (!DATABASE_URL) {
    throw new OperatorError(
      "DATABASE_URL is not set: remix-serve starts no PostgreSQL. Set it, or start the site with `npm start`.",
    );
  }
  setDatabase(openLazily(DATABASE_URL, { onQuery: watchQueries() }));
}

/** Counts the statements of the site, and tells the operator when one fails for lack of room. */
function watchQueries(): OnQuery {
  const count = queryCounter("site");
  return (milliseconds, failed, code) => {
    count(milliseconds, failed);
    reportFullDatabase(code);
  };
}
