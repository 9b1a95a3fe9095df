import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { checkTyped, openBook } from "~/features/desk/edition/check-book.server";
import { mayEdit, saveDraft } from "~/features/desk/edition/edition-drafts.server";
import { TEXT_LIMIT } from "~/features/desk/edition/edition-paths";
import { textOf } from "~/http/page-answer.server";
import { readForm, requirePost } from "~/http/request-body.server";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  throw requirePost(args.request);
}

/** Saves what an author types as its file's draft, and answers with the version and the mistakes as JSON. */
export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields } = await readForm(args.request, TEXT_LIMIT);
  const [file, content, version, base] = ["file", "content", "version", "base"].map((name) =>
    textOf(fields[name]),
  ) as [string, string, string, string];
  const book = await openBook();
  if (!mayEdit(book, file)) throw new Response(null, { status: 404 });
  const draft = await saveDraft(author, file, { content, version: Number(version) || 0, base });
  if (!draft) {
    const status = "Not saved: somebody else has saved this text. “Save draft” shows you both.";
    return Response.json({ status }, { status: 409 });
  }
  const { problems } = await checkTyped(book, file, content);
  return Response.json({ status: "Draft saved", version: draft.version, problems });
}
