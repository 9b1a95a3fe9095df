// First part of `npm run build`. Installs development packages too, which `npm ci` leaves out where NODE_ENV is
// production, as on many servers. Also does the work of an install script that does not run.
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { stopSignal } from "./child-process.mjs";
import { installPackages } from "./install.mjs";
import { linkPostgresql } from "./link-postgresql.mjs";
import { SetupError } from "./setup-error.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

try {
  await installPackages();
  await linkPostgresql(root);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  const signal = stopSignal();
  if (signal === null) console.error(error.message);
  process.exitCode = signal === null ? 1 : 128 + constants.signals[signal];
}
