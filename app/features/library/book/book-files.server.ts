import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { COVER_FILE, STYLE_FILE } from "./book-contents";

const NAMES = [STYLE_FILE, COVER_FILE, "ornament.svg"];

/** Files that every book shares. */
export type BookFiles = { files: ReadonlyMap<string, Buffer>; digest: string };

let folder: string | null = null;
let loading: Promise<BookFiles> | null = null;

/** Sets the folder of the style sheet, cover and ornament that ship with the program. */
export function setBookFilesFolder(path: string): void {
  folder = path;
  loading = null;
}

/** Loads the files that every book shares, once. Throws the file system's error. */
export function bookFiles(): Promise<BookFiles> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(): Promise<BookFiles> {
  if (folder === null) throw new Error("Nobody has said where the book's files are.");
  const files = new Map<string, Buffer>();
  const hash = createHash("sha256");
  for (const name of NAMES) {
    const content = await readFile(join(folder, name));
    files.set(name, content);
    hash.update(content);
  }
  return { files, digest: hash.digest("hex") };
}
