import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { TEXT_LIMIT } from "~/features/desk/desk-paths";
import { mayEdit, saveDraft, typedIn } from "~/features/desk/edition/edition-drafts.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { typedLetter } from "~/features/desk/letters/letter-text.server";
import { saveLetter } from "~/features/desk/letters/letters.server";
import type { SavedDraft } from "~/features/desk/use-autosave";
import { textOf } from "~/http/page-answer.server";
import { type FormBody, readForm, requirePost } from "~/http/request-body.server";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return requirePost(args.request);
}

/** Saves what an author types, and answers with JSON: a `SavedDraft`, or 409 if somebody else has saved it meanwhile. */
export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields } = await readForm(args.request, TEXT_LIMIT);
  const saved = await save(author, fields);
  return Response.json(saved ?? {}, { status: saved ? 200 : 409 });
}

type Author = Parameters<typeof saveLetter>[0];

async function save(author: Author, fields: FormBody["fields"]): Promise<SavedDraft | null> {
  if (fields.letter !== undefined) {
    const draft = { id: textOf(fields.letter), version: Number(fields.version) };
    return saveLetter(author, draft, typedLetter(fields));
  }
  const file = textOf(fields.file);
  if (!mayEdit(await openEdition(), file)) throw new Response(null, { status: 404 });
  const draft = await saveDraft(author, file, typedIn(fields));
  return draft && { version: draft.version };
}
