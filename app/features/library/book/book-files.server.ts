import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { COVER_FILE, STYLE_FILE } from "./book-contents";

const NAMES = [STYLE_FILE, COVER_FILE, "ornament.svg"];

let folder: string | null = null;

/** Sets the folder of the style sheet, cover and ornament that ship with the program. */
export function setBookFilesFolder(path: string): void {
  folder = path;
}

/** Loads the files that every book shares, by name. Throws the file system's error. */
export async function bookFiles(): Promise<Map<string, Buffer>> {
  if (folder === null) throw new Error("Nobody has said where the book's files are.");
  const files = new Map<string, Buffer>();
  for (const name of NAMES) files.set(name, await readFile(join(folder, name)));
  return files;
}
