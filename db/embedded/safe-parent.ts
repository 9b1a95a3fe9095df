import { stat } from "node:fs/promises";

/** True if only its owner can replace a file in the folder: others cannot write to it, or it is sticky. */
export async function isSafeParent(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
}
