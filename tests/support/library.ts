import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setCurrentEdition } from "~/features/library/current-edition.server";
import type { Edition } from "~/features/library/edition";
import { importEdition } from "~/features/library/importer/import-edition.server";

/** Files of an edition by their path, such as `chapters/01-gates.md`. */
export type EditionFiles = Record<string, string | Buffer>;

/** A chapter's or extra's file: front matter and text. */
export function editionText(
  fields: Record<string, string | number | boolean>,
  body = "There is a gate at the end of my street.",
): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

/** A folder with these files; `remove` deletes it. */
export function editionFolder(files: EditionFiles): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "golden-path-edition-"));
  writeEdition(path, files);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes files into an edition's folder. */
export function writeEdition(folder: string, files: EditionFiles): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Imports an edition with these files into the open database, and serves it in this process. */
export async function takeEdition(files: EditionFiles): Promise<Edition> {
  const folder = editionFolder(files);
  try {
    const edition = await importEdition(folder.path);
    setCurrentEdition(edition);
    return edition;
  } finally {
    folder.remove();
  }
}

/** Three chapters, the third not published for a long time, and an extra. */
export const SMALL_EDITION: EditionFiles = {
  "chapters/01-gates.md": editionText(
    { title: "Gates", summary: "How to begin.", order: 1, public: true },
    "There is a gate at the end of my street.\n\nOn most mornings it is the hardest part[^1] of the walk.\n\n[^1]: The hill is second.\n\n## The step\n\nOpen one gate.",
  ),
  "chapters/02-hills.md": editionText(
    { title: "Hills", summary: "How to go on.", order: 2 },
    "A hill is mostly patience.\n\n***\n\nSee [the gates](01-gates.md), and [a practice](../extras/one-drawer.md).",
  ),
  "chapters/03-later.md": editionText(
    { title: "Later", summary: "Not yet.", order: 3, publish: "2999-01-01" },
    "A secret of the far future.",
  ),
  "extras/one-drawer.md": editionText(
    { title: "One Drawer", summary: "A practice.", order: 1, kind: "practice" },
    "Empty one drawer.",
  ),
};
