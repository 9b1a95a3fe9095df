// First part of `npm run build`. Installs development packages too, which `npm ci` leaves out where NODE_ENV is
// production, as on many servers. Also does the work of an install script that does not run.
import { fileURLToPath } from "node:url";
import { runSteps } from "./child-process.mjs";
import { installPackages } from "./install.mjs";
import { linkPostgresql } from "./link-postgresql.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

await runSteps(async () => {
  await installPackages();
  await linkPostgresql(root);
});
