import { sql } from "drizzle-orm";

/**
 * Selected or returned by a statement of its own, lets its commit wait neither for the disk nor for a standby: what it has
 * written is seen by everybody at once, and forgotten if the server dies within three times `wal_writer_delay`, 0.6 s.
 * In a transaction it would do so to all of it. PostgreSQL's manual, "Asynchronous Commit".
 */
export const asynchronousCommit = sql<string>`set_config('synchronous_commit', 'off', true)`;
