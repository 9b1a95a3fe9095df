import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { otherDemoData, ROOTS_DEMO_DATA } from "./demo-data.mjs";

let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "golden-path-home-"));
  project = join(home, "golden-path");
  mkdirSync(project);
  chmodSync(home, 0o755);
  chmodSync(project, 0o755);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the demo's data", () => {
  it("is in the project where PostgreSQL's user may enter", () => {
    expect(otherDemoData(project, 0)).toBeNull();
  });

  it.each(["home", "project"])("is elsewhere if root's %s is closed to others", (closed) => {
    chmodSync(closed === "home" ? home : project, 0o700);
    expect(otherDemoData(project, 0)).toBe(ROOTS_DEMO_DATA);
  });

  it("is in the project of a user who runs PostgreSQL too, however closed", () => {
    chmodSync(home, 0o700);
    expect(otherDemoData(project, 1000)).toBeNull();
  });
});
