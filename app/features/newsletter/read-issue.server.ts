import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, isAbsolute, relative, resolve } from "node:path";
import type { Image, ImageReference, Nodes, Root } from "mdast";
import { visit } from "unist-util-visit";
import { z } from "zod";
import { oneLine, splitFrontMatter, unknownField } from "~/features/markdown/front-matter";
import { unparsablePart, unrenderablePart } from "~/features/markdown/markdown-limits";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { unparsedMarkup } from "~/features/markdown/unparsed-markup";
import type { FileProblem } from "~/features/markdown/yaml-fields";
import { OperatorError } from "~db/operator-error";
import { ensureSiteKey } from "~db/queries/site-keys";
import { printableText } from "./address-file/printable-text";
import { hasExif, type IssueImage, readImage } from "./issue-images";
import { IMAGES_PATH } from "./newsletter-paths";

/** A validated issue of the newsletter. */
export type Issue = IssueFrontMatter & {
  /** The text, with image URLs as the site serves them. */
  markdown: string;
  images: IssueImage[];
  /** Warnings for the author that do not prevent sending. */
  warnings: string[];
};

const MAX_TEXT_BYTES = 128 * 1024;
const TOO_LONG = `an issue has at most ${MAX_TEXT_BYTES / 1024} KB of text`;
const MAX_IMAGE_BYTES = 1024 * 1024;

/** Maximum width and height. A small file with many more pixels would exhaust a reader's memory. */
const MAX_IMAGE_PIXELS = 10_000;

/**
 * Placeholders that other newsletter programs fill in: {{first_name}}, {% if … %}, *|FNAME|*, [[firstname]],
 * [name,fallback=there], %FIRSTNAME%, {!firstname}, {$name}, {VORNAME}, {first_name, "there"}.
 */
const MERGE_TAG =
  /\{\{.*?\}\}|\{%.*?%\}|\*\|.*?\|\*|\[\[[a-z][\w :"-]*\]\](?!\()|\[\w+, *fallback=.*?\]|%[A-Z_-]{4,}%|\{[!$][\w -]+\}|\{[A-Z_]{3,}\}|\{(?:first_?|last_?)?(?:name|email)(?:,.*?)?\}/i;

const UNFILLED =
  "is another newsletter program's placeholder and won't be filled in here; write it out";

/** Control characters except tab and line feed. Never intended in a text, and invalid in PostgreSQL or XML. */
const CONTROL_CHARACTER = /(?![\t\n])\p{Cc}/u;

/** Where an issue's images come from. */
export type ImageSource = {
  /** Returns the content of the image with a name, as the text has it, or why there is none. */
  find: (name: string) => Promise<Buffer | string>;
  /** Makes the names under which images are served unguessable. */
  key: Buffer;
};

/** What a text was read as: the issue as far as it can be shown, and what has to be mended before it is sent. */
export type IssueReading = { issue: Issue | null; problems: FileProblem[] };

/**
 * Reads an issue from a text with front matter. Returns all problems with the text's lines, in order. Content that a mail
 * cannot show is a problem rather than dropped, so the mail matches the text.
 */
export async function readIssueText(text: string, images: ImageSource): Promise<IssueReading> {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    return { issue: null, problems: [{ line: 1, problem: TOO_LONG }] };
  }
  const split = splitFrontMatter(text, issueFrontMatter);
  if (split.kind === "rejected") return { issue: null, problems: inOrder(split.problems) };
  const { frontMatter, body, bodyLine } = split;
  const tree = parseWithinLimits(body);
  if ("problem" in tree) {
    return { issue: null, problems: [{ ...tree, line: tree.line + bodyLine - 1 }] };
  }
  const problems = [...unsupportedParts(tree)];
  const found = new Map<string, IssueImage>();
  for (const { url, line } of imagesOf(tree)) {
    if (found.has(url)) continue;
    const image = await loadImage(url, images);
    if (typeof image === "string") problems.push({ line, problem: `${url}: ${image}` });
    else found.set(url, image);
  }
  for (const [index, line] of body.split("\n").entries()) {
    if (!CONTROL_CHARACTER.test(line)) continue;
    problems.push({ line: index + 1, problem: "there is a control character in this line" });
  }
  for (const [index, line] of text.split("\n").entries()) {
    const tag = MERGE_TAG.exec(line)?.[0];
    // lines of the file, and not of the text below the front matter
    if (tag) problems.push({ line: index + 2 - bodyLine, problem: `'${tag}' ${UNFILLED}` });
  }
  const named = new Set(problems.map(({ line }) => line));
  problems.push(...unparsedMarkup(tree, body).filter(({ line }) => !named.has(line)));
  if (body.trim() === "") problems.push({ line: 1, problem: "there is no text" });
  return {
    issue: {
      ...frontMatter,
      markdown: withServedImages(body, tree, found),
      images: [...new Map([...found.values()].map((image) => [image.name, image])).values()],
      warnings: [...found]
        .filter(([, image]) => hasExif(image))
        .map(([url]) => `${url} carries Exif data, perhaps also where it was taken.`),
    },
    problems: inOrder(
      problems.map(({ line, problem }) => ({ line: line + bodyLine - 1, problem })),
    ),
  };
}

const inOrder = (problems: FileProblem[]) => problems.sort((a, b) => a.line - b.line);

/**
 * Reads an issue from a file as `readIssueText` does, and its images from the file's folder or below. Throws an
 * OperatorError listing all problems by line.
 */
export async function readIssue(file: string, key: Buffer): Promise<Issue> {
  const text = await readText(file);
  const folder = await realpath(dirname(file));
  const find = (name: string) => readImageFile(folder, name);
  const { issue, problems } = await readIssueText(text, { find, key });
  if (issue && problems.length === 0) return issue;
  throw new OperatorError(
    problems.map(({ line, problem }) => `${file}:${line}: ${printableText(problem)}`).join("\n"),
  );
}

/** Like `readIssue`, for an issue whose images this site will serve. */
export async function readIssueForSite(file: string): Promise<Issue> {
  return readIssue(file, await ensureSiteKey("newsletter-images"));
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    const found = await stat(file);
    // a pipe or a device may never end
    if (!found.isFile()) throw new OperatorError(`${file} is not a file.`);
    if (found.size > MAX_TEXT_BYTES) {
      throw new OperatorError(`${file}: ${TOO_LONG}.`);
    }
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r\n?/g, "\n");
  } catch {
    throw new OperatorError(`${file}: wanted UTF-8; save it with that encoding.`);
  }
}

/** Parses the text, or returns the problem that prevents it. */
function parseWithinLimits(body: string): Root | FileProblem {
  const unparsable = unparsablePart(body);
  if (unparsable) return unparsable;
  const tree = parseMarkdown(body);
  return unrenderablePart(tree) ?? tree;
}

const lineOf = (node: Nodes) => node.position?.start.line ?? 1;

/** Finds content that mail clients cannot show, or would show differently. */
function* unsupportedParts(tree: Root): Generator<FileProblem> {
  const nodes: Nodes[] = [];
  /** The kinds of reference to each definition, by identifier. */
  const uses = new Map<string, Set<string>>();
  visit(tree, (node) => {
    nodes.push(node);
    if (node.type !== "imageReference" && node.type !== "linkReference") return;
    uses.set(node.identifier, (uses.get(node.identifier) ?? new Set()).add(node.type));
  });
  /** Whether a definition is used only by images, whose URLs are checked with the files. */
  const isImageDefinition = (node: Nodes) => {
    const types = node.type === "definition" ? uses.get(node.identifier) : undefined;
    return types?.size === 1 && types.has("imageReference");
  };
  for (const node of nodes) {
    const line = lineOf(node);
    if (node.type === "html" && !/^<!--[\s\S]*-->$/.test(node.value.trim())) {
      yield { line, problem: "HTML is not supported; write it in Markdown" };
    } else if (node.type === "footnoteDefinition" || node.type === "footnoteReference") {
      yield { line, problem: "footnotes don't work in mail; write it in the text" };
    } else if (node.type === "listItem" && typeof node.checked === "boolean") {
      yield { line, problem: "checkboxes don't work in mail; write a plain list" };
    } else if (node.type === "link" || node.type === "definition") {
      if (isUsableLink(node.url) || isImageDefinition(node)) continue;
      yield {
        line,
        problem: `a link leads to '${node.url}'; wanted https://…, mailto:… or a path of the site, as in '/premium'`,
      };
    } else if ((node.type === "image" || node.type === "imageReference") && !node.alt?.trim()) {
      yield {
        line,
        problem: "an image has no description for people who can't see it: ![description](file)",
      };
    }
  }
}

function isUsableLink(url: string): boolean {
  if (/^\/(?!\/)/.test(url)) return true;
  return /^(https?:\/\/|mailto:)./i.test(url) && URL.canParse(url);
}

type UsedImage = { node: Image | ImageReference; url: string; title: string; line: number };

function imagesOf(tree: Root): UsedImage[] {
  const definitions = new Map<string, { url: string; title?: string | null }>();
  visit(tree, "definition", (node) => {
    // CommonMark uses the first of several definitions
    if (!definitions.has(node.identifier)) definitions.set(node.identifier, node);
  });
  const used: UsedImage[] = [];
  visit(tree, (node) => {
    if (node.type !== "image" && node.type !== "imageReference") return;
    const target = node.type === "image" ? node : definitions.get(node.identifier);
    if (target) used.push({ node, url: target.url, title: target.title ?? "", line: lineOf(node) });
  });
  return used;
}

/** Loads the image at a URL of the text, or returns the problem. */
async function loadImage(url: string, { find, key }: ImageSource): Promise<IssueImage | string> {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(url)) {
    return "only files beside the issue can be images; images elsewhere would tell their host who reads";
  }
  let name: string;
  try {
    name = decodeURIComponent(url);
  } catch {
    name = url;
  }
  const content = await find(name);
  return typeof content === "string" ? content : readIssueImage(name, content, key);
}

const IMAGE_TOO_LARGE = `is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MB; make it smaller for phones`;

/** Reads an image that an issue may have, or returns the problem. */
export function readIssueImage(name: string, content: Buffer, key: Buffer): IssueImage | string {
  if (content.byteLength > MAX_IMAGE_BYTES) return IMAGE_TOO_LARGE;
  const image = readImage(content, key);
  if (image && Math.max(image.width, image.height) > MAX_IMAGE_PIXELS) {
    return `has ${image.width} by ${image.height} pixels; make it smaller for phones`;
  }
  return (
    image ??
    `is not a readable PNG, JPEG or GIF${extname(name) === ".webp" ? "; Outlook shows no WebP" : ""}`
  );
}

/** Reads an image's file in the folder or below, or returns the problem. */
async function readImageFile(folder: string, name: string): Promise<Buffer | string> {
  try {
    const path = await realpath(resolve(folder, name));
    const below = relative(folder, path);
    if (isAbsolute(name) || below.startsWith("..") || isAbsolute(below)) {
      return "wanted a file in the issue's folder or below it";
    }
    const found = await stat(path);
    if (!found.isFile()) return "is not a file";
    return found.size > MAX_IMAGE_BYTES ? IMAGE_TOO_LARGE : await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
    return `cannot be read (${code})`;
  }
}

/** Replaces each image's URL with the one it is served at. */
function withServedImages(body: string, tree: Root, images: Map<string, IssueImage>): string {
  let text = body;
  for (const { node, url, title } of imagesOf(tree).reverse()) {
    const [start, end] = [node.position?.start.offset, node.position?.end.offset];
    const image = images.get(url);
    if (start === undefined || end === undefined || !image) continue;
    const quoted = title === "" ? "" : ` "${escapeMarkdown(title)}"`;
    const alt = escapeMarkdown(node.alt ?? "");
    text = `${text.slice(0, start)}![${alt}](${IMAGES_PATH}${image.name}${quoted})${text.slice(end)}`;
  }
  return text;
}

/** CommonMark takes ASCII punctuation after a backslash literally. */
function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** Paths below /newsletter/ that are not issues. */
const RESERVED_SLUGS = ["archive", "confirm", "feed", "images", "unsubscribe"];

/** Maximum lengths in characters; mail clients cut longer ones off. */
const MAX_SUBJECT = 120;
const MAX_PREVIEW = 150;
const MAX_SLUG = 80;

/** Schema of an issue's front matter. */
export const issueFrontMatter = z.strictObject(
  {
    subject: oneLine(MAX_SUBJECT),
    slug: z
      .string("wanted text; put it in quotes")
      .max(MAX_SLUG, `has more than ${MAX_SLUG} characters`)
      .regex(
        /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
        "wanted lower-case letters, digits and single hyphens, as in 'the-first-mile'",
      )
      .refine(
        (slug) => !RESERVED_SLUGS.includes(slug),
        `is the address of another page; so are ${RESERVED_SLUGS.join(", ")}`,
      ),
    preview: oneLine(MAX_PREVIEW),
    premium: z.boolean("wanted true or false").default(false),
  },
  { error: unknownField },
);

type IssueFrontMatter = z.infer<typeof issueFrontMatter>;
