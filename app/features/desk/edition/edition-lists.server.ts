import { describeProblem, type EditionProblem } from "~/features/library/importer/edition-problem";
import { SITE_FILE } from "~/features/site/site-file";
import { findDrafts } from "~db/queries/desk";
import { mayEdit } from "./edition-drafts.server";
import { listMedia } from "./edition-files.server";
import { checkEdition, type EditionFolder } from "./edition-folder.server";
import { listPath } from "./edition-paths";
import { whyUnwritable } from "./write-file.server";

/** The files of the page at `listedAt`, the book's or the site's, with what is wrong in the folder. */
export async function listEdition(edition: EditionFolder, listedAt: string) {
  const { folder, files, hasEdition } = edition;
  const { texts, problems, notes } = await checkEdition(edition);
  const isHere = (path: string) => listPath(path) === listedAt;
  const drafts = (await findDrafts("edition")).map(({ path }) => path ?? "");
  const findings = (title: string, found: EditionProblem[]) => ({
    title,
    found: found.map((each) => ({
      problem: describeProblem(each),
      path: files.includes(each.file) && mayEdit(edition, each.file) ? each.file : null,
    })),
  });
  return {
    ...{ folder, hasEdition, drafts },
    unwritable: await whyUnwritable(folder),
    texts: texts.map(({ document: { path }, cells }) => ({ path, cells })),
    siteFiles: files.filter((path) => mayEdit(edition, path) && isHere(path)),
    newFiles: drafts.filter((path) => isHere(path) && !files.includes(path)),
    hasSiteFile: [...files, ...drafts].includes(SITE_FILE),
    media: await listMedia(edition),
    findings: [
      findings("Readers keep the version before these mistakes:", problems),
      findings("Probably not meant:", notes),
    ].filter(({ found }) => hasEdition && found.length > 0),
  };
}

/** What a page of the book or the site lists. */
export type EditionList = Awaited<ReturnType<typeof listEdition>>;
