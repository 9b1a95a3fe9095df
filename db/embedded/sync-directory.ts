import { open } from "node:fs/promises";

/** Makes the names in a directory safe from a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows neither supports nor needs this.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
