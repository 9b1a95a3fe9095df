import { BOOK_TITLE } from "~/book";

/** The content of a mail, all of it plain text. */
export type MailContent = {
  heading: string;
  paragraphs: readonly string[];
  /** The mail's call to action. */
  action: { label: string; url: string };
  /** Shown below in smaller type, such as how long a link is valid. */
  notes: readonly string[];
};

const GREETING = `Yours, ${BOOK_TITLE}`;

/** Many mail programs ignore style sheets, so the styles are inlined. */
const STYLES = {
  page: "margin:0;padding:32px 16px;background:#fdf9f1;",
  sheet:
    "max-width:34em;margin:0 auto;color:#211d18;font:17px/1.6 Georgia,'Times New Roman',serif;",
  brand: "margin:0 0 28px;padding:0 0 14px;border-bottom:2px solid #e9b44c;font-size:15px;",
  heading: "margin:0 0 18px;font-size:26px;line-height:1.25;font-weight:normal;",
  paragraph: "margin:0 0 18px;",
  button:
    "display:inline-block;padding:13px 26px;border-radius:8px;background:#e9b44c;color:#211d18;font:bold 16px/1.4 Arial,sans-serif;text-decoration:none;",
  notes:
    "margin:32px 0 0;padding:16px 0 0;border-top:1px solid #e5dac4;color:#574e43;font-size:14px;",
  address: "color:#8a5a0b;word-break:break-all;",
} as const;

/** Renders a mail as plain text and as HTML with inline styles; every value is escaped in the HTML. */
export function renderMail({ heading, paragraphs, action, notes }: MailContent): {
  text: string;
  html: string;
} {
  const text = [heading, ...paragraphs, `${action.label}:\n${action.url}`, ...notes, GREETING];
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(heading)}</title></head>
<body style="${STYLES.page}">
<div style="${STYLES.sheet}">
<p style="${STYLES.brand}">${escapeHtml(BOOK_TITLE)}</p>
<h1 style="${STYLES.heading}">${escapeHtml(heading)}</h1>
${paragraphs.map((words) => `<p style="${STYLES.paragraph}">${escapeHtml(words)}</p>`).join("\n")}
<p style="${STYLES.paragraph}"><a href="${escapeHtml(action.url)}" style="${STYLES.button}">${escapeHtml(action.label)}</a></p>
<p style="${STYLES.paragraph}">${escapeHtml(GREETING)}</p>
<div style="${STYLES.notes}">
${notes.map((words) => `<p style="margin:0 0 10px;">${escapeHtml(words)}</p>`).join("\n")}
<p style="margin:0;">If the button does not work, open this address:<br><a href="${escapeHtml(action.url)}" style="${STYLES.address}">${escapeHtml(action.url)}</a></p>
</div>
</div>
</body>
</html>
`;
  return { text: `${text.join("\n\n")}\n`, html };
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
