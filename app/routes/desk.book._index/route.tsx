import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { moveText } from "~/features/desk/edition/arrange-texts.server";
import { beginFile, beginWithSample } from "~/features/desk/edition/begin-file.server";
import { BookPage } from "~/features/desk/edition/book-page";
import { openBook } from "~/features/desk/edition/check-book.server";
import { BOOK_PATH, editorPath } from "~/features/desk/edition/edition-paths";
import { listTexts } from "~/features/desk/edition/list-texts.server";
import { EXTRA_KINDS } from "~/features/library/importer/new-document.server";
import { doneAt, doneOrRefused, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Book");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return listTexts(await openBook(), new Date());
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields } = await readForm(args.request);
  const book = await openBook();
  return doneOrRefused(async () => {
    switch (fields.intent) {
      case "move":
        await moveText(author, book, textOf(fields.path), fields.by === "-1" ? -1 : 1);
        return doneAt(BOOK_PATH, "Moved");
      case "copy-sample":
        await beginWithSample(author);
        return doneAt(BOOK_PATH, "The sample is yours now");
      default: {
        const title = textOf(fields.title);
        const extraKind = EXTRA_KINDS.find((kind) => kind === fields.kind) ?? null;
        const path = await beginFile(author, book, { kind: "text", title, extraKind });
        return doneAt(editorPath(path), "Begun", "It comes into the book once you save it there.");
      }
    }
  });
}

export default function Book() {
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  return <BookPage listed={useLoaderData<typeof loader>()} refusal={refusal} />;
}
