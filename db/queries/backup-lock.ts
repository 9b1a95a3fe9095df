import { type Database, getDatabase } from "../client";

/** Held by the instance that makes a backup. Arbitrary, but used for no other advisory lock in the database. */
const BACKUP_LOCK = 7_240_918_355_103;

/**
 * Does the work while no other instance does it, or returns null at once if one does. The lock belongs to a
 * transaction, so it ends with the program, however that ends, and holds through a connection pooler.
 */
export async function withBackupLock<T>(
  work: () => Promise<T>,
  database: Database = getDatabase(),
): Promise<T | null> {
  const connection = await database.connect();
  const send = (text: string) =>
    connection.query(text, [], { prepare: false, asArrays: false, timeout: null });
  try {
    await send("begin; set local idle_in_transaction_session_timeout = 0");
    if (connection.serverVersion >= 170_000) await send("set local transaction_timeout = 0");
    const [row] = await send(`select pg_try_advisory_xact_lock(${BACKUP_LOCK}) as locked`);
    return row?.locked === true ? await work() : null;
  } finally {
    await connection.end();
  }
}
