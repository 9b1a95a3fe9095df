// `npm start`, and `golden-path` in a checkout: runs the program with the settings in the project's .env, after checking
// its prerequisites. A container runs build/index.js directly.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runSteps } from "./child-process.mjs";
import { findInstallationMismatch } from "./installed-packages.mjs";
import { findNativeModuleFailure } from "./native-modules.mjs";
import { requireNode } from "./node-version.mjs";
import { whenNpmEnds } from "./npm-parent.mjs";
import { SetupError } from "./setup-error.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = join(root, "build/index.js");

await runSteps(async () => {
  requireNode(root);
  requirePackages();
  requireBuild();
  requireNativeModules();
  readSettings();
  await runProgram();
});

function requirePackages() {
  const mismatch = findInstallationMismatch(root, { production: true });
  if (mismatch === null) return;
  const remedy = isBuilt() ? "`npm ci`" : "`npm ci && npm run build`";
  throw new SetupError(`The packages have to be installed: ${mismatch}. Run ${remedy}.`);
}

function requireBuild() {
  if (!isBuilt()) throw new SetupError("The site has not been built yet: run `npm run build`.");
}

function isBuilt() {
  return existsSync(program) && existsSync(join(root, "public/build"));
}

function requireNativeModules() {
  const failure = findNativeModuleFailure(root);
  if (failure === null) return;
  throw new SetupError(
    `${failure}. Run \`npm ci\`; if that does not help, use another version of Node.js.`,
  );
}

/** Variables that are set already take precedence. */
function readSettings() {
  const file = join(root, ".env");
  if (!existsSync(file)) return;
  requirePrivate(file);
  process.loadEnvFile(file);
  console.error(`The settings are those in ${file}.`);
}

/**
 * Whoever can write the settings can run anything as this user, so only those may who can change the program itself.
 *
 * @param {string} file
 */
function requirePrivate(file) {
  const { uid, gid, mode } = statSync(file);
  const owners = [0, process.getuid?.(), statSync(root).uid];
  const isGroupShared = (mode & 0o020) !== 0 && gid !== process.getgid?.();
  if (owners.includes(uid) && !isGroupShared && (mode & 0o002) === 0) return;
  throw new SetupError(
    `Other users can change ${file}: run \`chown "$(id -u)" .env && chmod 600 .env\` there.`,
  );
}

/** Runs in this process: signals reach it directly, or through the end of npm's shell. */
async function runProgram() {
  whenNpmEnds(() => process.kill(process.pid, "SIGTERM"));
  // it runs only if it looks like the main script, not when merely imported
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
