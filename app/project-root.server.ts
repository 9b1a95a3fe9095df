import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the edition that ships with the program, below the folder of package.json. */
export const SAMPLE_EDITION = "app/features/library/sample-edition";

/** The folder of the files that all e-books have in common. */
export const BOOK_FILES = "app/features/library/book-files";

/** The folder of package.json, searched for upwards because the build moves this code. */
export function projectRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json"))) {
    const parent = dirname(directory);
    if (parent === directory)
      throw new Error("No folder above this program contains package.json.");
    directory = parent;
  }
  return directory;
}
