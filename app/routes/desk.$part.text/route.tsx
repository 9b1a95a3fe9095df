import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import {
  isShownAgain,
  requireAuthor,
  requireWritingAuthor,
  showAgain,
} from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DeskHeading, DeskProblems } from "~/features/desk/desk-parts";
import { deleteText, renameText } from "~/features/desk/edition/arrange-texts.server";
import { openBook } from "~/features/desk/edition/check-book.server";
import {
  discardDraft,
  loadEditor,
  mayEdit,
  saveConflict,
  saveDraft,
  saveToBook,
} from "~/features/desk/edition/edition-drafts.server";
import { editorPath, listPath, TEXT_LIMIT } from "~/features/desk/edition/edition-paths";
import { KeptText, TextEditor } from "~/features/desk/edition/text-editor";
import { withFields } from "~/features/desk/edition/text-settings";
import type { FormRefusal } from "~/http/form-refusal";
import { doneAt, doneOrRefused, refuse, textOf } from "~/http/page-answer.server";
import { type FieldValue, readForm } from "~/http/request-body.server";

export const meta = deskMeta("Text");

const fileOf = (request: Request) => new URL(request.url).searchParams.get("file") ?? "";

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const file = fileOf(args.request);
  if (!editorPath(file).startsWith(`/desk/${args.params.part}/`)) {
    throw new Response(null, { status: 404 });
  }
  if (isShownAgain(args)) return { file, text: null };
  return doneOrRefused(async () => {
    const text = await loadEditor(await openBook(), file);
    if (!text) throw new Response(null, { status: 404 });
    return { file, text };
  });
}

export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const file = fileOf(request);
  const writer = await requireWritingAuthor(args);
  const { fields } = await readForm(request, TEXT_LIMIT);
  const typed = typedIn(fields);
  if (!writer) {
    // without a text there is nothing to keep
    if (fields.content === undefined) await requireAuthor(args, "work", editorPath(file));
    showAgain(args);
    const message = "Nothing is saved yet: it is long since you entered your password.";
    return refuse({ message, typed: { ...typed, version: String(typed.version) } });
  }
  const { intent } = fields;
  if (intent === "delete") await requireAuthor(args, "sensitive", editorPath(file));
  const book = await openBook();
  if (!mayEdit(book, file)) throw new Response(null, { status: 404 });
  return doneOrRefused(
    async () => {
      switch (intent) {
        case "publish": {
          const refusal = await saveToBook(writer, book, file, typed);
          return refusal ? refuse(refusal) : doneAt(editorPath(file), "Saved", SOON);
        }
        case "discard":
          if (!(await discardDraft(writer, file, typed.version))) {
            return refuse({
              message: "Somebody has saved the draft since you opened it. Look at it first.",
            });
          }
          return doneAt(
            book.files.includes(file) ? editorPath(file) : listPath(file),
            "Draft discarded",
          );
        case "rename": {
          const next = await renameText(writer, book, file, textOf(fields.slug).trim());
          return doneAt(editorPath(next), "Renamed", SOON);
        }
        case "delete": {
          const name = (await loadEditor(book, file))?.settings?.title ?? file;
          if (textOf(fields.title).trim() !== name) {
            return refuse({ message: `Nothing is deleted: type “${name}”.` });
          }
          return doneAt(
            listPath(file),
            "Deleted",
            `It is kept as ${await deleteText(writer, book, file)}.`,
          );
        }
        default:
          if (await saveDraft(writer, file, typed)) return doneAt(editorPath(file), "Draft saved");
          return refuse(await saveConflict(book, file, typed));
      }
    },
    typed.content === "" ? undefined : { ...typed, version: String(typed.version) },
  );
}

const SOON = "The site takes it within seconds.";

/** What a form has of a text, with what its fields set in the front matter. */
function typedIn(fields: Record<string, FieldValue>) {
  const text = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, textOf(value)]),
  );
  const content = (text.content ?? "").replace(/\r\n?/g, "\n");
  return {
    content: withFields(content, text),
    version: Number(text.version ?? 0) || 0,
    base: text.base ?? "",
  };
}

export default function Text() {
  const loaded = useLoaderData<typeof loader>();
  const refusal: FormRefusal | null = useActionData<typeof action>()?.refusal ?? null;
  if ("refusal" in loaded) {
    return (
      <>
        <DeskHeading title="This file can’t be edited here" />
        <DeskProblems refusal={loaded.refusal} />
      </>
    );
  }
  const { file, text } = loaded;
  if (!text) return <KeptText file={file} refusal={refusal} />;
  return <TextEditor text={text} refusal={refusal} />;
}
