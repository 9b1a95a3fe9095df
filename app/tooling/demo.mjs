// `npm run demo`: from a fresh clone to the running site, with a local substitute for Stripe.
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSite } from "./build.mjs";
import { run, stopSignal } from "./child-process.mjs";
import { otherDemoData } from "./demo-data.mjs";
import { installPackages } from "./install.mjs";
import { NODE_FLAGS } from "./node-flags.mjs";
import { requireNode } from "./node-version.mjs";
import { isPortFree } from "./port.mjs";
import { SetupError } from "./setup-error.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, "../..");

try {
  requireNode(root);
  await requirePorts();
  await installPackages();
  await buildSite();
  process.exitCode = await runProgram();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  const signal = stopSignal();
  // Ctrl-C during npm's work is not a failure to explain
  if (signal === null) console.error(error.message);
  process.exitCode = signal === null ? 1 : 128 + constants.signals[signal];
}

/** Checks the ports before the installation, rather than have the program fail after it. */
async function requirePorts() {
  const site = port(process.env.PORT, 3000);
  const sandbox = port(process.env.STRIPE_SANDBOX_PORT, site === null ? null : site + 1);
  for (const number of [site, sandbox]) {
    if (number === null || (await isPortFree(number, process.env.HOST || "127.0.0.1"))) continue;
    const other = (site ?? 3000) < 60_000 ? (site ?? 3000) + 100 : 3100;
    throw new SetupError(
      `Port ${number} is already in use, perhaps by another demo: start this one with another PORT and DATA_DIR, for example \`PORT=${other} DATA_DIR=./data-2 npm run demo\`.`,
    );
  }
}

/**
 * A port number; null where the program itself will report an error or choose one.
 *
 * @param {string | undefined} text
 * @param {number | null} fallback
 */
function port(text, fallback) {
  if (text === undefined || text.trim() === "") return fallback;
  const number = Number(text);
  return Number.isInteger(number) && number > 0 && number < 65_536 ? number : null;
}

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
