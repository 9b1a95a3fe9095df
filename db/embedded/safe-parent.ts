import { stat } from "node:fs/promises";

/** True where only its owner can replace what is made in a folder: others may not write there, or it is sticky. */
export async function isSafeParent(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  return (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
}
