import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

let written = 0;

/**
 * Puts a finished message into the outbox folder, readable by the program's user only, since its links
 * are keys. The file appears whole or not at all, and names sort by the time of writing.
 */
export async function writeToOutbox(folder: string, message: Buffer): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replaceAll(":", "-");
  // the count keeps the order of mails of one millisecond, the random part two programs apart
  written = (written + 1) % 1_000_000;
  const count = String(written).padStart(6, "0");
  const name = `${time}-${count}-${randomBytes(4).toString("hex")}.eml`;
  const unfinished = join(folder, `.${name}.part`);
  const file = join(folder, name);
  try {
    const handle = await open(unfinished, "wx", 0o600);
    try {
      await handle.writeFile(message);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
  return file;
}
