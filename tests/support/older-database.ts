import { knownMigrations } from "~db/known-migrations";
import { migrateInTransaction } from "~db/migrate";
import { openConnection } from "~db/open-connection";

/** Turns an empty database into one of an older release, with the first `migrations` migrations and an account. */
export async function makeOlderDatabase(url: string, migrations = 1): Promise<void> {
  const connection = await openConnection({ url, applicationName: "test" });
  const send = (text: string) =>
    connection.query(text, [], { prepare: false, asArrays: false, timeout: null });
  try {
    await send("begin");
    await migrateInTransaction(connection, knownMigrations().slice(0, migrations));
    await send("insert into users (email, password_hash) values ('kept@example.test', 'hash')");
    await send("commit");
  } finally {
    await connection.end();
  }
}
