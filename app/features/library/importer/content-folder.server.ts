import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { siteToYaml } from "~/features/site/site-yaml";
import { projectRoot, SAMPLE_EDITION } from "~/project-root.server";
import { OperatorError } from "~db/operator-error";
import { mediaName } from "../media-name";
import { holdsEdition, listFolder } from "./edition-folder.server";
import type { EditionSource } from "./read-source.server";

/** Returns the folder of the edition that ships with the program. */
export const sampleFolder = () => join(projectRoot(), SAMPLE_EDITION);

/** Returns the folder of the author's edition, to write to it. It may be missing still. */
export function folderToWrite(): string {
  const { CONTENT_DIR, IS_CONTENT_DIR_SET } = env();
  // by default it is in DATA_DIR, which other users must not read
  if (!IS_CONTENT_DIR_SET) dataDirectory();
  return CONTENT_DIR;
}

/** A file to be, by its path in the folder. */
export type NewFile = { name: string; content: string };

/** Creates a file of a folder, and returns its path. Throws an OperatorError if there is one of that name. */
export async function createFile(folder: string, { name, content }: NewFile): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new OperatorError(`Nothing was written: there is a ${path} already.`);
  }
  return path;
}

/** Copies the sample edition to the author's folder and returns that. Throws an OperatorError if there is an edition in it. */
export async function copySampleEdition(): Promise<string> {
  const folder = folderToWrite();
  if (holdsEdition(await listFolder(folder))) {
    throw new OperatorError(`Nothing was copied: there is an edition in ${folder}.`);
  }
  // without `errorOnExist`, which on Node 24 rejects an empty folder too
  await cp(sampleFolder(), folder, { recursive: true, force: false });
  return folder;
}

/** Returns the `site.yml` that equals the site of a folder. Throws an OperatorError if that has a mistake. */
export function siteFileOf({ site, media }: EditionSource): string {
  if (!site) throw new OperatorError("site.yml has a mistake; see 'content check'.");
  const files = new Map([...media.values()].map((file) => [mediaName(file), file.path]));
  return siteToYaml(site, ({ name }) => files.get(name) ?? name);
}
