import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import {
  isShownAgain,
  requireAuthor,
  requireWritingAuthor,
  showAgain,
} from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskProblems } from "~/features/desk/desk-parts";
import {
  conflictOf,
  discardDraft,
  loadEditor,
  mayEdit,
  publishDraft,
  saveDraft,
  typedIn,
} from "~/features/desk/edition/edition-drafts.server";
import { deleteText, renameText } from "~/features/desk/edition/edition-files.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { editorPath, listPath, TEXT_LIMIT } from "~/features/desk/edition/edition-paths";
import { KeptText, TextEditor } from "~/features/desk/edition/text-editor";
import { doneAt, doneOrRefused, refuse, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Text");

const SOON = "The site takes it within seconds.";

const fileOf = (request: Request) => new URL(request.url).searchParams.get("file") ?? "";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const file = fileOf(args.request);
  if (isShownAgain(args)) return { file, text: null };
  return doneOrRefused(async () => {
    const text = await loadEditor(await openEdition(), file);
    if (!text) throw new Response(null, { status: 404 });
    return { file, text };
  });
}

export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const file = fileOf(request);
  const here = editorPath(file);
  const writer = await requireWritingAuthor(args);
  const { fields } = await readForm(request, TEXT_LIMIT);
  const { intent } = fields;
  const typed = typedIn(fields);
  if (!writer) {
    // without a text there is nothing to keep
    if (fields.content === undefined) await requireAuthor(args, "work", here);
    showAgain(args);
    return refuse({ message: "Nothing is saved until you enter your password again.", typed });
  }
  if (intent === "delete") await requireAuthor(args, "sensitive", here);
  const edition = await openEdition();
  if (!mayEdit(edition, file)) throw new Response(null, { status: 404 });
  return doneOrRefused(async () => {
    switch (intent) {
      case "discard":
        if (await discardDraft(writer, file, typed.version)) {
          return doneAt(edition.files.includes(file) ? here : listPath(file), "Draft discarded");
        }
        return refuse({ message: "Somebody has saved the draft meanwhile. It is shown now." });
      case "rename":
        return doneAt(
          editorPath(await renameText(writer, edition, file, textOf(fields.slug))),
          "Renamed",
          SOON,
        );
      case "delete": {
        const title = (await loadEditor(edition, file))?.settings?.title ?? file;
        if (fields.title !== title) return refuse({ message: `To delete it, type “${title}”.` });
        const kept = await deleteText(writer, edition, file);
        return doneAt(listPath(file), "Deleted", `The folder keeps it as ${kept}.`);
      }
      default: {
        const draft = await saveDraft(writer, file, typed);
        if (!draft) return refuse(await conflictOf(edition, file, typed.content));
        typed.version = String(draft.version);
        if (intent !== "publish") return doneAt(here, "Draft saved");
        const { base } = typed;
        const refusal = await publishDraft(writer, edition, { draft, path: file, base });
        if (!refusal) return doneAt(here, "Saved for readers", SOON);
        return refuse({ ...refusal, typed: { ...typed, ...refusal.typed } });
      }
    }
  }, typed);
}

export default function Text() {
  const loaded = useLoaderData<typeof loader>();
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  if ("refusal" in loaded) return <DeskProblems refusal={loaded.refusal} />;
  const { file, text } = loaded;
  if (!text) return <KeptText file={file} refusal={refusal} />;
  return <TextEditor text={text} refusal={refusal} />;
}
