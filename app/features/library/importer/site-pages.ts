import { toHtml } from "hast-util-to-html";
import { visit } from "unist-util-visit";
import { z } from "zod";
import { oneLine, splitFrontMatter, unknownField } from "~/features/markdown/front-matter";
import { unparsablePart, unrenderablePart } from "~/features/markdown/markdown-limits";
import { markdownTree, parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { unparsedMarkup } from "~/features/markdown/unparsed-markup";
import { type FileProblem, lineOf } from "~/features/markdown/yaml-fields";
import type { SitePage } from "~/features/site/site";
import type { FindImage } from "~/features/site/site-file";
import { PREVIEW_MEDIA_PATH } from "../library-paths";
import { isComment } from "./text-markup";

const pageFrontMatter = z.strictObject(
  {
    title: oneLine(120),
    order: z.int("wanted a whole number, as in 3").min(0, "wanted 0 or more").default(0),
  },
  { error: unknownField },
);

/** Marks what the author still has to fill in, as `content new --page` writes it. */
const GAP = /\[\[([^\]\n]*)\]\]/;

/** A page with what orders it in the footer. */
export type OrderedPage = SitePage & { order: number };

/**
 * Reads and renders a page of Markdown. `findImage` gets addresses as the page has them. Reports all problems with
 * their lines, or what is probably not meant in `notes`.
 */
export function readPage(
  slug: string,
  text: string,
  findImage: FindImage,
): { page: OrderedPage; notes: FileProblem[] } | { problems: FileProblem[] } {
  const split = splitFrontMatter(text, pageFrontMatter);
  if (split.kind === "rejected") return split;
  const { frontMatter, body, bodyLine } = split;
  const problems: FileProblem[] = [];
  const reject = (line: number, problem: string) =>
    problems.push({ line: line + bodyLine - 1, problem });
  if (body.trim() === "") reject(1, "there is no text");
  const unparsable = unparsablePart(body);
  const source = parseMarkdown(unparsable ? "" : body);
  const unusable = unparsable ?? unrenderablePart(source);
  if (unusable) {
    reject(unusable.line, unusable.problem);
    return { problems };
  }
  for (const [index, line] of body.split("\n").entries()) {
    const gap = GAP.exec(line)?.[1];
    if (gap !== undefined) reject(index + 1, `fill in '${gap.trim()}'`);
  }
  const tree = markdownTree(body, {
    imageAt: (address) => {
      const found = findImage(address);
      if (!("reason" in found)) {
        return { src: PREVIEW_MEDIA_PATH + found.name, width: found.width, height: found.height };
      }
      reject(lineOf(address, body), `${address}: ${found.reason}`);
    },
  });
  if (problems.length > 0) return { problems };
  const notes = unparsedMarkup(source, body);
  visit(source, "html", ({ value, position }) => {
    if (isComment(value)) return;
    notes.push({
      line: position?.start.line ?? 1,
      problem: "HTML has no effect here; write Markdown",
    });
  });
  return {
    page: { slug, ...frontMatter, html: toHtml(tree) },
    notes: notes.map(({ line, problem }) => ({ line: line + bodyLine - 1, problem })),
  };
}
