import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./program";

/** A separate file system in memory that a test can fill up or make read-only. */
export type SmallDisk = {
  path: string;
  fill(): void;
  /** Makes room again, after `fill`. */
  makeRoom(): void;
  setReadOnly(isReadOnly: boolean): void;
  remove(): void;
};

/** Mounts one, which requires root and a kernel that allows it; returns null elsewhere. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.getuid?.() !== 0) return null;
  const { path, remove } = temporaryDirectory();
  const mount = (...parameters: string[]) => spawnSync("mount", parameters).status === 0;
  if (!mount("-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "tmpfs", path)) {
    remove();
    return null;
  }
  const ballast = join(path, "ballast");
  return {
    path,
    fill: () => {
      const file = openSync(ballast, "a");
      try {
        for (const size of [1_048_576, 4_096]) {
          const block = Buffer.alloc(size);
          try {
            while (writeSync(file, block) === size);
          } catch {
            // no block of this size fits any more
          }
        }
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    setReadOnly: (isReadOnly) => void mount("-o", `remount,${isReadOnly ? "ro" : "rw"}`, path),
    remove: () => {
      spawnSync("umount", ["-l", path]);
      remove();
    },
  };
}
