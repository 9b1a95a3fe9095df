import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clusterMajor, NoDatabaseError, requireCluster } from "../embedded";

/** A file that Linux lets nobody read, not even root, from whom permissions keep nothing else. */
const UNREADABLE = "/proc/sys/vm/drop_caches";

let dataDir: string;
let cluster: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "golden-path-cluster-"));
  cluster = join(dataDir, "postgres");
});
afterEach(() => {
  chmodSync(cluster, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
});

it("wants a database, or one that an interrupted upgrade has left beside its place", async () => {
  await expect(requireCluster(dataDir)).rejects.toThrow(NoDatabaseError);
  await expect(requireCluster(join(dataDir, "missing"))).rejects.toThrow(NoDatabaseError);
  mkdirSync(join(dataDir, "postgres.upgraded"));
  await requireCluster(dataDir);
  rmSync(join(dataDir, "postgres.upgraded"), { recursive: true });

  mkdirSync(cluster);
  await expect(requireCluster(dataDir)).rejects.toThrow(NoDatabaseError);
  writeFileSync(join(cluster, "PG_VERSION"), "18\n");
  await requireCluster(dataDir);
});

it("tells a database that this user may not read from none", async () => {
  expect(await clusterMajor(dataDir)).toBeNull();
  mkdirSync(cluster);
  writeFileSync(join(cluster, "PG_VERSION"), "17\n");
  expect(await clusterMajor(dataDir)).toBe(17);

  if (process.geteuid?.() === 0) {
    rmSync(join(cluster, "PG_VERSION"));
    symlinkSync(UNREADABLE, join(cluster, "PG_VERSION"));
  } else {
    chmodSync(cluster, 0o000);
  }
  await expect(clusterMajor(dataDir)).rejects.toThrow(
    /belongs to another user: run this as the user that the site runs as\./,
  );
});
