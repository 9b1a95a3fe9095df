// `npm run demo`: from a fresh clone to the running site, with a local substitute for Stripe.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSite } from "./build.mjs";
import { run, runSteps } from "./child-process.mjs";
import { otherDemoData } from "./demo-data.mjs";
import { installPackages } from "./install.mjs";
import { NODE_FLAGS } from "./node-flags.mjs";
import { requireNode } from "./node-version.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, "../..");

await runSteps(async () => {
  requireNode(root);
  await installPackages();
  await buildSite();
  process.exitCode = await runProgram();
});

function runProgram() {
  const elsewhere = process.env.DATA_DIR ? null : otherDemoData(root);
  if (elsewhere) {
    console.log(
      `The data will be in ${elsewhere}: PostgreSQL does not run as root, and no other user may enter ${root}.`,
    );
  }
  const stopWithParent = pathToFileURL(join(folder, "stop-with-parent.mjs")).href;
  return run(
    process.execPath,
    [...NODE_FLAGS, "--import", stopWithParent, "build/index.js", "demo"],
    {
      cwd: root,
      env: elsewhere ? { ...process.env, DATA_DIR: elsewhere } : process.env,
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    },
  );
}
