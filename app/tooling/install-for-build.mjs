// First part of `npm run build`, which needs the packages for development too: `npm ci` leaves them out where
// NODE_ENV is production, as on many servers and platforms. Completes what no install script does.
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
