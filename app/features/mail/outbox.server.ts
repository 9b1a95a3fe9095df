import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

let written = 0;

/** Keeps the names of concurrent programs apart. */
const writer = randomBytes(4).toString("hex");

/**
 * Writes a composed message to the outbox folder, readable by the program's user only, since its links are
 * credentials. The file is created atomically, and names sort by the time of writing.
 */
export async function writeToOutbox(folder: string, message: Buffer): Promise<string> {
  const time = new Date().toISOString().replaceAll(":", "-");
  // the count orders mails within a millisecond
  written = (written + 1) % 1_000_000;
  const count = String(written).padStart(6, "0");
  const name = `${time}-${count}-${writer}.eml`;
  const temporaryFile = join(folder, `.${name}.part`);
  const file = join(folder, name);
  try {
    const handle = await createIn(folder, temporaryFile);
    try {
      await handle.writeFile(message);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true }).catch(() => {});
    throw error;
  }
  return file;
}

/** Creates a file, and its folder if that is missing: to ask first takes as long as to create the file. */
async function createIn(folder: string, file: string): Promise<FileHandle> {
  const create = () => open(file, "wx", 0o600);
  try {
    return await create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return create();
  }
}
