import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A folder of the site, with the real bin/golden-path, and beside it the programs that stand for the machine's. */
let folder: string;
let site: string;

/** Prints its name and arguments, then its input, and exits with 7. */
const PRINTING = `printf '[%s]' "\${0##*/}" "$@"; cat; exit 7`;

const DOCKER = `
case "$*" in
  "compose ps --quiet site") printf '%s' "$COMPOSED" ;;
  "compose ps --all --quiet site") printf '%s' "$STOPPED" ;;
  "ps --quiet --filter name=^golden-path$") printf '%s' "$NAMED" ;;
  "compose version") exit "\${NO_COMPOSE:-0}" ;;
  *) ${PRINTING} ;;
esac`;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "golden-path-host-")));
  site = join(folder, "the site");
  write("the site/compose.yaml", "services: {}\n");
  cpSync(resolve("bin"), join(site, "bin"), { recursive: true });
  program("docker", DOCKER);
  program("systemctl", "exit 1");
  program("systemd-run", PRINTING);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: string) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), content);
}

function program(name: string, script: string) {
  write(`programs/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "programs", name), 0o755);
}

type Run = { variables?: Record<string, string>; cwd?: string; input?: string };

const environment = (variables: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  NODE_ENV: "production",
  PATH: `${join(folder, "programs")}:${dirname(process.execPath)}:/usr/bin:/bin`,
  ...variables,
});

function run(parameters: string[], { variables, cwd = site, input = "" }: Run = {}) {
  const { status, stdout, stderr } = spawnSync(join(site, "bin/golden-path"), parameters, {
    cwd,
    env: environment(variables),
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const RUNNING = { COMPOSED: "c0ffee" };
const inContainer =
  "[docker][exec][--interactive][--workdir][/][c0ffee][node][/app/build/index.js]";

describe("golden-path, of a site in a container,", () => {
  it("runs the command there, with its words, input and exit code as they are", () => {
    const words = ["members", "show", "a b", "$HOME 'x' \"y\"", "", "*"];
    expect(run(words, { variables: RUNNING, input: "typed\n" })).toEqual({
      status: 7,
      stdout: `${inContainer}${words.map((word) => `[${word}]`).join("")}typed\n`,
      stderr: "",
    });
  });

  it("finds a container that was started without Compose", () => {
    const { stdout } = run(["doctor"], { variables: { NAMED: "c0ffee" } });
    expect(stdout).toBe(`${inContainer}[doctor]`);
  });

  it("makes one with the same settings and data while none runs", () => {
    const made =
      "[docker][compose][run][--rm][--no-deps][--no-TTY][--workdir][/][site][restore][s3:x]";
    expect(run(["restore", "s3:x"]).stdout).toBe(made);
    write("the site/build/index.js", "");
    expect(run(["restore", "s3:x"], { variables: { STOPPED: "dead" } }).stdout).toBe(made);
  });

  it("has a terminal if the caller has one", () => {
    const command = `'${join(site, "bin/golden-path")}' doctor`;
    const { stdout, error } = spawnSync("script", ["--quiet", "--command", command, "/dev/null"], {
      env: environment({ ...RUNNING, SHELL: "/bin/sh" }),
      encoding: "utf8",
    });
    if (error) throw error;
    expect(stdout).toContain("[exec][--interactive][--tty][--workdir]");
  });

  it("passes on a key for Stripe by its name, so that no list of processes shows it", () => {
    const { stdout } = run(["stripe", "setup"], {
      variables: { ...RUNNING, STRIPE_SECRET_KEY: "sk_test_hunter2" },
    });
    expect(stdout).toContain("[exec][--interactive][--env][STRIPE_SECRET_KEY][--workdir]");
    expect(stdout).not.toContain("hunter2");
  });

  it("gives the program the paths that files have in there, wherever the caller is", () => {
    write("the site/letters/an issue.md", "");
    write("the site/backups/one.tar.gz", "");
    write("the site/content/chapters/01.md", "");
    const inside = (parameter: string, cwd = site) =>
      run(["x", parameter], { variables: RUNNING, cwd }).stdout.slice(inContainer.length + 3);
    expect(inside("letters/an issue.md")).toBe("[/letters/an issue.md]");
    expect(inside("./an issue.md", join(site, "letters"))).toBe("[/letters/an issue.md]");
    expect(inside(join(site, "backups/one.tar.gz"), folder)).toBe("[/backups/one.tar.gz]");
    expect(inside("./content")).toBe("[/data/content]");
    // no file yet, or no file at all
    expect(inside("backups/new.tar.gz")).toBe("[backups/new.tar.gz]");
    expect(inside("content")).toBe("[content]");
  });

  it("refuses a file that is not in there, and says where to put it", () => {
    write("list.csv", "");
    expect(run(["subscribers", "import", "../list.csv"], { variables: RUNNING })).toEqual({
      status: 1,
      stdout: "",
      stderr: `golden-path: The container does not see ${folder}/list.csv: put it into ${site}/letters.\n`,
    });
  });
});

describe("golden-path, of a site that is a systemd service,", () => {
  beforeEach(() => {
    program("systemctl", 'test "$*" = "cat golden-path.service"');
    program("id", "echo 0");
  });

  it("runs the command with the service's settings, user and data", () => {
    write("list.csv", "");
    const { status, stdout } = run(["subscribers", "import", "list.csv"], {
      variables: { ...RUNNING, STRIPE_SECRET_KEY: "sk_test_hunter2" },
      cwd: folder,
      input: "typed\n",
    });
    expect(status).toBe(7);
    expect(stdout).toMatch(/^\[systemd-run\](\[--[^\]]+\])+\[\/usr\/bin\/node\]/);
    for (const option of [
      "--pty",
      "--pipe",
      "--wait",
      "--uid=golden-path",
      "--property=EnvironmentFile=/etc/golden-path.env",
      "--setenv=DATA_DIR=/var/lib/golden-path",
      "--setenv=STRIPE_SECRET_KEY",
    ]) {
      expect(stdout).toContain(`[${option}]`);
    }
    const words = `[/opt/golden-path/build/index.js][subscribers][import][${folder}/list.csv]typed\n`;
    expect(stdout.slice(-words.length)).toBe(words);
  });

  it("asks for root, who alone may read the settings", () => {
    program("id", "echo 1000");
    const { status, stdout, stderr } = run(["doctor"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe("golden-path: Run it as root, as with sudo.\n");
  });
});

describe("golden-path, of a checkout,", () => {
  it("runs the build as `npm start` does, under whatever name it was called", () => {
    write("the site/build/index.js", "");
    write(
      "the site/app/tooling/start.mjs",
      "console.log(process.cwd(), ...process.argv.slice(2));",
    );
    write("letters/issue.md", "");
    symlinkSync(join(site, "bin/golden-path"), join(folder, "programs/golden-path"));
    const { stdout } = spawnSync("golden-path", ["newsletter", "preview", "letters/issue.md"], {
      cwd: folder,
      env: environment(),
      encoding: "utf8",
    });
    expect(stdout).toBe(`${site} newsletter preview ${folder}/letters/issue.md\n`);
  });

  it("says what to do where no site is", () => {
    const { status, stderr } = run(["doctor"], { variables: { NO_COMPOSE: "1" } });
    expect(status).toBe(1);
    expect(stderr).toBe(
      `golden-path: There is no site here: follow docs/deploying.md, or run 'npm ci && npm run build' in ${site}.\n`,
    );
  });
});
