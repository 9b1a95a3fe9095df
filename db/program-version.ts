import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "./migrations-folder";

/** The release of this program, as in package.json. */
export function programVersion(): string {
  const file = join(migrationsFolder(), "../../package.json");
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}
