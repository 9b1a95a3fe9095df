import { setTimeout as pause } from "node:timers/promises";
import { type Database, getDatabase } from "../client";

/** Work that one instance does at a time. The keys are arbitrary, but used for no other advisory lock. */
const LOCKS = {
  backup: 7_240_918_355_103,
  reconciliation: 7_240_918_355_121,
  "clean-up": 7_240_918_355_122,
  "account deletions": 7_240_918_355_123,
  "operator letter": 7_240_918_355_124,
  "new texts": 7_240_918_355_125,
};

export type InstanceLock = keyof typeof LOCKS;

/**
 * The heartbeat interval of a lock's holder, and the silence after which the server ends its transaction, in
 * milliseconds. A machine that lost its power closes no connection.
 */
const SIGNS_OF_LIFE = { every: 10_000, deadAfter: 30_000 };

/** How often a waiting instance tries to take the lock, in milliseconds. */
const RETRY_MS = 15_000;

/**
 * Does the work while no other instance does it, or returns null at once if one does. The lock belongs to a
 * transaction, so it ends with the program and works through a connection pooler. It is lost with the server, so work
 * that must never happen twice needs its own safeguard.
 */
export async function withInstanceLock<T>(
  lock: InstanceLock,
  work: () => Promise<T>,
  database: Database = getDatabase(),
  { every, deadAfter } = SIGNS_OF_LIFE,
): Promise<T | null> {
  const connection = await database.connect();
  const send = (text: string) => connection.query(text);
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    await send(`begin; set local idle_in_transaction_session_timeout = ${deadAfter}`);
    if (connection.serverVersion >= 170_000) await send("set local transaction_timeout = 0");
    const [row] = await send(`select pg_try_advisory_xact_lock(${LOCKS[lock]}) as locked`);
    if (row?.locked !== true) return null;
    // a heartbeat that fails means that the lock is lost, which the work survives
    heartbeat = setInterval(() => void send("select 1").catch(() => {}), every);
    return await work();
  } finally {
    clearInterval(heartbeat);
    await connection.end();
  }
}

/**
 * As `withInstanceLock`, but waits for the other instances: when one dies, another takes over within a minute. Returns
 * without having done anything once `stopping` is aborted.
 */
export async function afterOtherInstances(
  lock: InstanceLock,
  work: () => Promise<void>,
  stopping: AbortSignal,
  retryMs = RETRY_MS,
): Promise<void> {
  while (!stopping.aborted) {
    if (
      (await withInstanceLock(lock, async () => {
        await work();
        return true;
      })) !== null
    )
      return;
    await pause(retryMs, null, { signal: stopping, ref: false }).catch(() => {});
  }
}
