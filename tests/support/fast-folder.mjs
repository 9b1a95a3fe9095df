import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Enough bytes for a run's databases and the packages of a fresh installation. */
const ENOUGH = 4 * 1024 ** 3;

const IN_MEMORY = "/dev/shm";

/**
 * The folder for tests' databases and temporary files. It is in memory if possible, since disks are several times
 * slower: the system's must be large enough and allow running programs (Linux outside most containers).
 */
export function fastFolder() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ENOUGH && !isNoexec(IN_MEMORY) ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Whether a file system is mounted so that no program can be run from it (proc_mounts(5)).
 *
 * @param {string} folder
 */
function isNoexec(folder) {
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .find(([, place]) => place === folder);
  return mount?.[3]?.split(",").includes("noexec") ?? true;
}
