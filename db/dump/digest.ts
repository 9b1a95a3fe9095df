import { createHash } from "node:crypto";
import type { Database } from "../client";
import { fullName } from "./catalog";
import { withSnapshot } from "./snapshot";

/** The SHA-256 of each table's rows as COPY sends them, by `schema.name`, and the sequences' values. */
export async function digestDatabase(database: Database): Promise<Map<string, string>> {
  return withSnapshot(database, async (snapshot) => {
    const digests = new Map<string, string>();
    for (const table of snapshot.tables) {
      const hash = createHash("sha256");
      for await (const rows of snapshot.rowsOf(table)) hash.update(rows);
      digests.set(fullName(table), hash.digest("hex"));
    }
    for (const { lastValue, isCalled, ...sequence } of await snapshot.sequences()) {
      digests.set(fullName(sequence), `${lastValue} ${isCalled}`);
    }
    return digests;
  });
}
