import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { clusterMajor } from "./cluster-swap";

const NOBODY = 65_534;

const dataDir = mkdtempSync(join(tmpdir(), "golden-path-swap-"));
const cluster = join(dataDir, "postgres");
const isRoot = process.geteuid?.() === 0;

afterEach(() => {
  if (isRoot) process.seteuid?.(0);
  chmodSync(cluster, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
});

it("tells a database that this user may not read from none", async () => {
  expect(await clusterMajor(dataDir)).toBeNull();
  mkdirSync(cluster);
  writeFileSync(join(cluster, "PG_VERSION"), "17\n");
  expect(await clusterMajor(dataDir)).toBe(17);

  chmodSync(cluster, isRoot ? 0o700 : 0o000);
  // as root nothing is refused
  if (isRoot) process.seteuid?.(NOBODY);
  await expect(clusterMajor(dataDir)).rejects.toThrow(
    /belongs to another user: run this as the user that the site runs as\./,
  );
});
