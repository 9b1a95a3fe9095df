import { type FileHandle, open } from "node:fs/promises";

/** Errors of file systems that cannot sync a folder, as some network ones, and of unreadable folders. */
const NOT_SUPPORTED = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EACCES"]);

/** Makes a directory's entries survive a power cut, where the file system supports that. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows neither supports nor needs this
  if (process.platform === "win32") return;
  let directory: FileHandle | undefined;
  try {
    directory = await open(path, "r");
    await directory.sync();
  } catch (error) {
    if (!NOT_SUPPORTED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await directory?.close();
  }
}
