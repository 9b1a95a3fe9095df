// `npm run dev`: Remix's development server around the demo, which is built and restarted after every edit.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { discardBuild } from "./build.mjs";
import { run, runSteps } from "./child-process.mjs";
import { findInstallationMismatch } from "./installed-packages.mjs";
import { requireNode } from "./node-version.mjs";
import { SetupError } from "./setup-error.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const remix = createRequire(import.meta.url).resolve("@remix-run/dev/dist/cli.js");

await runSteps(async () => {
  requireNode(root);
  requirePackages();
  discardBuild();
  process.exitCode = await run(
    process.execPath,
    [remix, "dev", "--manual", "--command", "node app/tooling/dev-program.mjs"],
    { cwd: root, env: { ...process.env, NODE_ENV: "development", PAYMENTS: "sandbox" } },
  );
  // so that it cannot be mistaken for a production build
  discardBuild();
});

function requirePackages() {
  const mismatch = findInstallationMismatch(root);
  if (mismatch === null) return;
  throw new SetupError(`The packages have to be installed: ${mismatch}. Run \`npm ci\`.`);
}
