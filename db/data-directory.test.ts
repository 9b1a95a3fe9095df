import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDataDirectory } from "./data-directory";

const isRoot = process.getuid?.() === 0;
/** The mode that 0755 becomes. Under root, PostgreSQL's own user needs execute permission. */
const CLOSED = isRoot ? 0o711 : 0o700;

let parent: string;
let umask: number;
const warnings: string[] = [];
const warn = (message: string) => warnings.push(message);
const modeOf = (path: string) => statSync(path).mode & 0o7777;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "golden-path-data-"));
  umask = process.umask(0o022);
  warnings.length = 0;
});
afterEach(() => {
  process.umask(umask);
  rmSync(parent, { recursive: true, force: true });
});

describe.skipIf(process.platform === "win32")("a DATA_DIR", () => {
  it("is created private, its parent folders with the usual mode", () => {
    process.umask(0);
    const dataDir = join(parent, "deep/down/data");
    makeDataDirectory(dataDir, warn);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(join(parent, "deep"))).toBe(0o777);
    expect(warnings).toEqual([]);
  });

  it.each([0o755, 0o777, 0o750, 0o2775])("with mode %o is closed to other users", (mode) => {
    const dataDir = join(parent, "data");
    mkdirSync(dataDir);
    chmodSync(dataDir, mode);
    makeDataDirectory(dataDir, warn);
    expect(modeOf(dataDir) & 0o777 & ~CLOSED).toBe(0);
    expect(modeOf(dataDir) & 0o7700).toBe(mode & 0o7700);
    expect(warnings).toEqual([]);
  });

  it("that is already closed stays as it is", () => {
    const dataDir = join(parent, "data");
    mkdirSync(dataDir, { mode: CLOSED });
    makeDataDirectory(dataDir, warn);
    expect(modeOf(dataDir)).toBe(CLOSED);
  });

  it("that is sticky, like /tmp, is left alone with one warning", () => {
    const dataDir = join(parent, "data");
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o1777);
    makeDataDirectory(dataDir, warn);
    makeDataDirectory(dataDir, warn);
    expect(modeOf(dataDir)).toBe(0o1777);
    expect(warnings).toEqual([
      `Other users of this machine can read DATA_DIR ${dataDir}, and this program may not change its mode: give it to the user this program runs as (chown), and run 'chmod go-rwx' on it.`,
    ]);
  });

  it("of another user is left alone with a warning", ({ skip }) => {
    if (!isRoot) skip("only root can change a folder's owner");
    const dataDir = join(parent, "data");
    mkdirSync(dataDir, { mode: 0o755 });
    chownSync(dataDir, 65_534, 65_534);
    makeDataDirectory(dataDir, warn);
    expect(modeOf(dataDir)).toBe(0o755);
    expect(warnings).toHaveLength(1);
  });

  it("that is a file is rejected and not deleted", () => {
    const dataDir = join(parent, "data");
    writeFileSync(dataDir, "");
    expect(() => makeDataDirectory(dataDir, warn)).toThrow(
      expect.objectContaining({ code: "EEXIST" }),
    );
    expect(existsSync(dataDir)).toBe(true);
  });
});
