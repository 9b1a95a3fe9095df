import { convert, type DomNode, type FormatCallback } from "html-to-text";
import { renderToStaticMarkup } from "react-dom/server";
import { type Mail, MailLayout } from "./mail-layout";
import { MAIL_COLORS, MAIL_WIDTH } from "./mail-theme";

export type { Mail } from "./mail-layout";

/**
 * Renders a mail as HTML and plain text, with the same words in both and each link once in the text. Escapes all
 * values.
 */
export async function renderMail(
  mail: Mail,
): Promise<{ subject: string; html: string; text: string }> {
  const markup = renderToStaticMarkup(<MailLayout {...mail} />);
  return { subject: mail.subject, html: withDocumentParts(markup), text: plainText(markup) };
}

/**
 * Outlook on Windows ignores `max-width` and scales pixels by the screen's resolution. Other clients see a comment.
 */
const OUTLOOK_HEAD = `<!--[if mso]><xml><o:OfficeDocumentSettings xmlns:o="urn:schemas-microsoft-com:office:office"><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>.mail-sheet{width:${MAIL_WIDTH}px}</style><![endif]-->`;

/** Adds the doctype and comments that React does not render. */
function withDocumentParts(markup: string): string {
  return `<!doctype html>${markup.replace("</head>", `${OUTLOOK_HEAD}</head>`)}\n`;
}

/**
 * Converts a mail's HTML to plain text. Each link keeps its label in place; its URL is on its own line below the
 * paragraph. Lines are not wrapped, because clients wrap them to fit the window. Typographic quotes become plain
 * ones: ASCII text is sent unencoded, so links can be copied from the source.
 */
function plainText(markup: string): string {
  const { name, listBelow } = linkList();
  const blocks = ["block", "blockquote", "dataTable", "orderedList", "unorderedList"] as const;
  const below = Object.fromEntries(blocks.map((block) => [`${block}WithLinks`, listBelow(block)]));
  const paragraph = { leadingLineBreaks: 2, trailingLineBreaks: 2 };
  const text = convert(markup, {
    wordwrap: false,
    formatters: { link: name, ...below },
    selectors: [
      { selector: "head", format: "skip" },
      { selector: "[data-skip-in-text=true]", format: "skip" },
      ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "table[role=presentation]"].map((selector) => ({
        selector,
        format: "blockWithLinks",
        options: paragraph,
      })),
      { selector: "blockquote", format: "blockquoteWithLinks" },
      { selector: "ol", format: "orderedListWithLinks" },
      { selector: "ul", format: "unorderedListWithLinks" },
      { selector: "a", format: "link" },
      { selector: "img", format: "image", options: { pathRewrite: () => "", linkBrackets: false } },
      { selector: "del", format: "inlineSurround", options: { prefix: "~~", suffix: "~~" } },
      { selector: "hr", format: "horizontalLine", options: { length: 3 } },
      {
        selector: "table",
        format: "dataTableWithLinks",
        options: { uppercaseHeaderCells: false, maxColumnWidth: 120 },
      },
    ],
  });
  return `${withPlainQuotes(text)
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

/** Formatters that keep a link's label in the text and list the URLs below the block. */
function linkList(): { name: FormatCallback; listBelow: (format: string) => FormatCallback } {
  const listed = new Set<string>();
  const waiting: { label: string; href: string }[] = [];
  return {
    name(element, walk, builder) {
      const href = String(element.attribs.href).replace(/^mailto:/, "");
      const label = textOf(element).trim();
      const isListed = label !== href && !listed.has(href);
      if (isListed) waiting.push({ label, href });
      listed.add(href);
      if (!isListed || !isParagraph(element)) walk(element.children, builder);
    },
    listBelow: (format) => (element, walk, builder, options) => {
      builder.options.formatters[format]?.(element, walk, builder, options);
      if (isIndented(element)) return;
      for (const { label, href } of waiting.splice(0)) {
        builder.openBlock({ leadingLineBreaks: 2 });
        builder.addInline(`${label.charAt(0).toUpperCase()}${label.slice(1)}:`);
        builder.addLineBreak();
        builder.addLiteral(href);
        builder.closeBlock({ trailingLineBreaks: 2 });
      }
    },
  };
}

/** Whether a link is a whole paragraph, so the line below it is enough. */
function isParagraph(link: DomNode): boolean {
  if (String(link.attribs.class).includes(MAIL_COLORS.button.className)) return true;
  return link.parent?.name === "p" && link.parent.children.length === 1 && !isIndented(link);
}

/** Whether an element's lines are prefixed. Links go below the whole list or quotation. */
function isIndented({ parent }: DomNode): boolean {
  return !!parent && (/^(?:blockquote|li)$/.test(parent.name ?? "") || isIndented(parent));
}

function textOf({ type, name, data = "", attribs, children }: DomNode): string {
  if (name === "img") return String(attribs.alt);
  return type === "text" ? data : (children ?? []).map(textOf).join("");
}

function withPlainQuotes(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replaceAll("\u00a0", " ");
}
