import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./child-process.mjs";
import { findInstallationMismatch } from "./installed-packages.mjs";
import { findNativeModuleFailure } from "./native-modules.mjs";
import { npmCommand } from "./npm.mjs";
import { runExclusively } from "./run-exclusively.mjs";
import { SetupError } from "./setup-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * Runs `npm ci`, unless node_modules matches package-lock.json and loads on this Node: another program may be
 * running from it. Throws a SetupError if npm fails; npm's output precedes it.
 */
export async function installPackages() {
  await runExclusively("installation", async () => {
    if (isInstalled()) return;
    console.log("Installing packages (npm ci) …");
    const [command, ...start] = npmCommand();
    const code = await run(command, [...start, "ci", "--include=dev"], {
      cwd: root,
      // on Windows npm is a script that only a shell can start
      shell: start.length === 0 && process.platform === "win32",
    }).catch((error) => {
      throw new SetupError(`npm could not be started (${error.message}): install it with Node.js.`);
    });
    if (code !== 0)
      throw new SetupError(`The packages were not installed: npm ci failed with ${code}.`);
    const failure = findNativeModuleFailure(root);
    if (failure !== null) throw new SetupError(`${failure}: use another version of Node.js.`);
  });
}

function isInstalled() {
  return findInstallationMismatch(root) === null && findNativeModuleFailure(root) === null;
}
