import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { env } from "~/env.server";
import { listFolder } from "~/features/library/importer/edition-folder.server";
import { OperatorError } from "~db/operator-error";
import { anyBackupTime } from "./backup-name";

/** Files of DATA_DIR, if they exist, that a site cannot be rebuilt without. */
const DATA_FILES = ["session-secret", "stripe-sandbox.json"];

/** The edition's folder in a backup, wherever CONTENT_DIR is. */
const CONTENT = "content/";

/** The folder of mails written to files without a mail server. */
const OUTBOX = "outbox/";

/** A file of the site: its path in a backup and on this machine. */
export type SiteFile = { path: string; source: string };

/**
 * Lists the site's files outside the database: the generated secret, the edition, the outbox. Omits earlier backups,
 * the database's own folder, and files that can be regenerated, such as the edition's image cache.
 */
export async function listSiteFiles(): Promise<SiteFile[]> {
  const { CONTENT_DIR, DATA_DIR } = env();
  const content = (await listFolder(CONTENT_DIR))?.files ?? [];
  const files = [
    ...DATA_FILES.map((name) => ({ path: name, source: join(DATA_DIR, name) })),
    ...content.map((file) => ({ path: CONTENT + file, source: join(CONTENT_DIR, file) })),
    ...(await outboxFiles(DATA_DIR)),
  ];
  return files.filter(({ path }) => !isBackup(basename(path)));
}

/** Excluded, because backups stored in one of the folders would contain one another. */
const isBackup = (name: string) => anyBackupTime(name) !== null;

/** Returns where a backup's file belongs on this machine; null for a path that no backup contains. */
export function placeOf(path: string): { folder: "data" | "content"; below: string } | null {
  if (isOfEdition(path)) return { folder: "content", below: path.slice(CONTENT.length) };
  if (path.startsWith(OUTBOX) || DATA_FILES.includes(path)) return { folder: "data", below: path };
  return null;
}

/** Whether a path in a backup is the cookie signing secret. */
export const isSessionSecret = (path: string) => path === "session-secret";

/** Whether a path in a backup belongs to the edition. */
export const isOfEdition = (path: string) => path.startsWith(CONTENT);

/**
 * Opens a file to copy: its size, and exactly that many bytes even if it grows meanwhile. Null if it is gone. Reading
 * throws an OperatorError if the file shrinks.
 */
export async function openSiteFile({ source }: SiteFile): Promise<{
  bytes: number;
  content: AsyncIterable<Buffer>;
} | null> {
  let file: FileHandle;
  try {
    file = await open(source, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new OperatorError(`${source} cannot be read (${(error as Error).message}).`);
  }
  const { size } = await file.stat();
  return { bytes: size, content: firstBytes(file, size, source) };
}

async function* firstBytes(file: FileHandle, size: number, source: string): AsyncGenerator<Buffer> {
  let read = 0;
  try {
    if (size === 0) return;
    const stream = file.createReadStream({ start: 0, end: size - 1, autoClose: false });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield chunk;
    }
  } finally {
    await file.close();
  }
  if (read < size) {
    throw new OperatorError(`${source} was changed while it was backed up: try again.`);
  }
}

async function outboxFiles(dataDir: string): Promise<SiteFile[]> {
  const folder = join(dataDir, OUTBOX);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => {
      const source = join(entry.parentPath, entry.name);
      const below = source.slice(folder.length).split(/[/\\]/).filter(Boolean).join("/");
      return { path: OUTBOX + below, source };
    });
}
