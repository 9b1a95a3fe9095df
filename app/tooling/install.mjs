import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./child-process.mjs";
import { exclusively } from "./exclusive.mjs";
import { SetupError } from "./setup-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const lockFile = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stamp = join(modules, ".installed-for");

/** Throws a SetupError if this Node is older than package.json's `engines` want it. */
export function requireNode() {
  const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node;
  const [major, minor] = wanted.match(/\d+/g).map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new SetupError(
    `Node.js ${major}.${minor} or newer is needed, but this is ${process.versions.node}: see https://nodejs.org.`,
  );
}

/**
 * Runs `npm ci`, unless node_modules already is what package-lock.json says: another program may be
 * running from it. Throws a SetupError if npm fails; what npm said stands above it.
 */
export async function installPackages() {
  await exclusively("installation", async () => {
    if (isInstalled()) return;
    console.log("Installing packages (npm ci) …");
    const [command, ...start] = npm();
    const code = await run(command, [...start, "ci", "--include=dev"], {
      cwd: root,
      // npm is a script that only a shell can start on Windows
      shell: start.length === 0 && process.platform === "win32",
    }).catch((error) => {
      throw new SetupError(`npm could not be started (${error.message}): install it with Node.js.`);
    });
    if (code !== 0)
      throw new SetupError(`The packages were not installed: npm ci failed with ${code}.`);
    writeFileSync(stamp, fingerprint());
  });
}

function isInstalled() {
  if (existsSync(stamp)) return readFileSync(stamp, "utf8") === fingerprint();
  if (!isWhatLockFileSays()) return false;
  writeFileSync(stamp, fingerprint());
  return true;
}

/** What an installation is for: these packages, and this kind of Node and machine for the native ones. */
function fingerprint() {
  const packages = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  return `${packages} ${process.platform}-${process.arch} ${process.versions.modules}\n`;
}

/** Compares with the lock file that npm leaves in node_modules when it is done, for installations by hand. */
function isWhatLockFileSays() {
  try {
    const wanted = JSON.parse(readFileSync(lockFile, "utf8")).packages;
    const found = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages;
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === "") return true;
      // packages for other systems are in the lock file only
      if (!(path in found)) return Boolean(entry.optional || entry.devOptional || entry.extraneous);
      return found[path].version === entry.version && found[path].integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

/** The npm that started us, else the one on the PATH. */
function npm() {
  const script = process.env.npm_execpath;
  return script && /npm-cli\.c?js$/.test(script) ? [process.execPath, script] : ["npm"];
}
