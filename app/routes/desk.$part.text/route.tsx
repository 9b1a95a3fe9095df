import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskProblems } from "~/features/desk/desk-parts";
import { TEXT_LIMIT } from "~/features/desk/desk-paths";
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
import { editorPath, listPath } from "~/features/desk/edition/edition-paths";
import { TextEditor } from "~/features/desk/edition/text-editor";
import { doneOrKept } from "~/http/keep-form.server";
import { doneAt, doneOrRefused, found, refuse, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Text");

const SOON = "The site takes it within seconds.";

const fileOf = (request: Request) => new URL(request.url).searchParams.get("file") ?? "";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return doneOrRefused(async () => ({
    text: found(await loadEditor(await openEdition(), fileOf(args.request))),
  }));
}

export async function action(args: ActionFunctionArgs) {
  const file = fileOf(args.request);
  const here = editorPath(file);
  const { fields } = await readForm(args.request, TEXT_LIMIT);
  const { intent, content } = fields;
  const what = intent === "delete" ? "sensitive" : "work";
  const author = await requireAuthor(args, what, here, content);
  const edition = await openEdition();
  if (!mayEdit(edition, file)) throw new Response(null, { status: 404 });
  const typed = typedIn(fields);
  const work = async () => {
    switch (intent) {
      case "discard":
        if (await discardDraft(author, file, typed.version)) {
          return doneAt(edition.files.includes(file) ? here : listPath(file), "Draft discarded");
        }
        return refuse({ message: "Somebody has saved the draft meanwhile. It is shown now." });
      case "rename": {
        const path = await renameText(author, edition, file, textOf(fields.slug));
        return doneAt(editorPath(path), "Renamed", SOON);
      }
      case "delete": {
        const title = (await loadEditor(edition, file))?.settings?.title ?? file;
        if (fields.title !== title) return refuse({ message: `To delete it, type “${title}”.` });
        const kept = await deleteText(author, edition, file);
        return doneAt(listPath(file), "Deleted", `The folder keeps it as ${kept}.`);
      }
      default: {
        const draft = await saveDraft(author, file, typed);
        if (!draft) return refuse(await conflictOf(edition, file, typed.content));
        typed.version = String(draft.version);
        if (intent !== "publish") return doneAt(here, "Draft saved");
        const { base } = typed;
        const refusal = await publishDraft(author, edition, { draft, path: file, base });
        if (!refusal) return doneAt(here, "Saved for readers", SOON);
        return refuse({ ...refusal, typed: { ...typed, ...refusal.typed } });
      }
    }
  };
  return doneOrKept(here, content, () => doneOrRefused(work, typed));
}

export default function Text() {
  const loaded = useLoaderData<typeof loader>();
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  if ("refusal" in loaded) return <DeskProblems refusal={loaded.refusal} />;
  return <TextEditor text={loaded.text} refusal={refusal} />;
}
