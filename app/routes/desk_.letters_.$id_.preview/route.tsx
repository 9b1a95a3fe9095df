import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor, requireWritingAuthor } from "~/features/desk/author.server";
import { typedLetter } from "~/features/desk/letters/letter-text.server";
import {
  findLetter,
  readDraft,
  renderDraft,
  saveLetter,
} from "~/features/desk/letters/letters.server";
import { inColorScheme } from "~/features/mail/mail-theme";
import { readForm, textResponse } from "~/http/request-body.server";
import { log } from "~/observability/log.server";

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
  const draft = await findLetter(args.params.id ?? "");
  if (!draft) throw new Response(null, { status: 404 });
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

/** The answers to a text that is not saved, by what came of it; the form itself does what they say. */
const REFUSALS = {
  conflict: [409, "Another author has saved this letter. Press Save to see both versions."],
  gone: [410, "The letter was sent or deleted. Press Save to keep your text as a new draft."],
  locked: [401, "Press Save, and confirm that it’s you."],
} as const;

/** Saves a draft in the background, and answers with JSON. */
export async function action(args: ActionFunctionArgs) {
  const { fields, wantsJson } = await readForm(args.request, 1_000_000);
  const author = wantsJson ? await requireWritingAuthor(args) : await requireAuthor(args);
  const draft = { id: args.params.id ?? "", version: Number(fields.version) };
  try {
    const outcome = author
      ? await saveLetter(author, draft, typedLetter(fields))
      : ({ kind: "locked" } as const);
    if (outcome.kind === "saved") return Response.json(outcome);
    const [status, message] = REFUSALS[outcome.kind];
    return Response.json({ message }, { status });
  } catch (error) {
    log().error({ err: error }, "a letter could not be saved");
    return Response.json({}, { status: 503 });
  }
}
