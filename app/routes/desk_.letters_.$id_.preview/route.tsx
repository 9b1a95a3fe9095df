import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { findLetter, readDraft, renderDraft } from "~/features/desk/letters/letters.server";
import { inColorScheme } from "~/features/mail/mail-theme";
import { found } from "~/http/page-answer.server";
import { textResponse } from "~/http/request-body.server";

/** Nothing in the mail runs or comes from elsewhere, and only a page of the desk may frame it. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
  "X-Frame-Options": "SAMEORIGIN",
  "Cache-Control": "private, no-store",
};

/** A draft's mail as it will look, or its plain text, for a frame on the draft's page. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const draft = found(await findLetter(args.params.id ?? ""));
  const { issue, problems } = await readDraft(draft);
  if (!issue) return textResponse(`It can’t be shown: ${problems[0]?.problem}.`, HEADERS);
  const { html, text } = await renderDraft(issue, draft.id);
  const as = new URL(args.request.url).searchParams.get("as");
  if (as === "text") return textResponse(text, HEADERS);
  const shown = inColorScheme(html, as === "dark" ? "dark" : "light");
  // the frame may open no windows, so that its links lead nowhere
  return textResponse(shown.replace("<head>", '<head><base target="_blank"/>'), {
    ...HEADERS,
    "Content-Type": "text/html; charset=utf-8",
  });
}
