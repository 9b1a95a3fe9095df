import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OperatorError } from "./operator-error";

/** `db/migrations`, found from the source file and from `build/index.js` alike. */
export function migrationsFolder(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const migrations = join(folder, "db", "migrations");
    if (existsSync(join(folder, "package.json")) && existsSync(migrations)) return migrations;
    if (folder === dirname(folder)) {
      throw new OperatorError(
        `The folder db/migrations is missing beside package.json above ${start}.`,
      );
    }
  }
}
