import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { mayEdit, saveDraft, typedIn } from "~/features/desk/edition/edition-drafts.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { TEXT_LIMIT } from "~/features/desk/edition/edition-paths";
import { textOf } from "~/http/page-answer.server";
import { readForm, requirePost } from "~/http/request-body.server";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return requirePost(args.request);
}

/** Saves what an author types, and answers with the draft's version as JSON; 409 if somebody else has saved it meanwhile. */
export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields } = await readForm(args.request, TEXT_LIMIT);
  const file = textOf(fields.file);
  if (!mayEdit(await openEdition(), file)) throw new Response(null, { status: 404 });
  const draft = await saveDraft(author, file, typedIn(fields));
  return Response.json({ version: draft?.version ?? null }, { status: draft ? 200 : 409 });
}
