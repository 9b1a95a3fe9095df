import { env } from "~/env.server";
import { holdsEdition, listFolder } from "~/features/library/importer/edition-folder.server";
import { BrokenEdition, describeProblem } from "~/features/library/importer/edition-problem";
import { checkFolder } from "~/features/library/importer/import-edition.server";
import { formatCount } from "~/features/newsletter/format-count";
import { type Answer, ok, problem, warning } from "./answer";

const CHECK =
  "Run 'content check', which names every mistake with its line; until then the last good edition is served.";

/** Whether the edition in CONTENT_DIR can be taken as it is. */
export async function checkContent(): Promise<Answer[]> {
  return [await checkEdition("edition")];
}

async function checkEdition(what: string): Promise<Answer> {
  const { CONTENT_DIR, IS_CONTENT_DIR_SET, SANDBOX } = env();
  try {
    if (!holdsEdition(await listFolder(CONTENT_DIR))) {
      if (IS_CONTENT_DIR_SET) {
        const found = `there is none in CONTENT_DIR ${CONTENT_DIR}`;
        return problem(what, found, "Mount or copy the edition there, or correct CONTENT_DIR.");
      }
      const found = "the sample, not yours";
      if (SANDBOX) return ok(what, found);
      return warning(what, found, `Copy your edition to ${CONTENT_DIR}: docs/content.md.`);
    }
    const { problems, source } = await checkFolder(CONTENT_DIR);
    const [first] = problems;
    if (!first) return ok(what, `${source.documents.length} texts, no mistakes`);
    const count = formatCount(problems.length, "mistake");
    return problem(what, `${count}, such as ${describeProblem(first)}`, CHECK);
  } catch (error) {
    if (error instanceof BrokenEdition) {
      return problem(what, error.message.split("\n")[0] ?? "", CHECK);
    }
    const found = `${CONTENT_DIR} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
    return problem(what, found, "Let the site's user read the folder and all that is in it.");
  }
}
