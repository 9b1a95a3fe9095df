import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useParams } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DESK_PATH } from "~/features/desk/desk-paths";
import { beginFile, type NewFile } from "~/features/desk/edition/edition-drafts.server";
import {
  beginWithSample,
  deleteMedia,
  listEdition,
  moveText,
  storeUpload,
} from "~/features/desk/edition/edition-files.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { BookPage, SitePage } from "~/features/desk/edition/edition-lists";
import { editorPath, UPLOAD_LIMIT } from "~/features/desk/edition/edition-paths";
import { EXTRA_KINDS } from "~/features/library/importer/new-document.server";
import { doneAt, doneOrRefused, refuse, textOf } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";

export const meta = deskMeta("Book and site");

/** The book, and the site. */
function pathOf({ params: { part } }: LoaderFunctionArgs): string {
  if (part !== "book" && part !== "site") throw new Response(null, { status: 404 });
  return `${DESK_PATH}/${part}`;
}

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return { list: await listEdition(await openEdition(), pathOf(args)) };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const here = pathOf(args);
  const { fields, upload } = await readUpload(args.request, { field: "file", limit: UPLOAD_LIMIT });
  const edition = await openEdition();
  const path = textOf(fields.path);
  const begin = async (wanted: NewFile) =>
    doneAt(editorPath(await beginFile(author, edition, wanted)), "Begun as a draft");
  return doneOrRefused(async () => {
    switch (fields.intent) {
      case "text": {
        const extraKind = EXTRA_KINDS.find((kind) => kind === fields.kind) ?? null;
        return begin({ title: textOf(fields.title), extraKind });
      }
      case "page":
        return begin({ page: textOf(fields.name).trim() });
      case "site":
        return begin("site");
      case "sample":
        await beginWithSample(author);
        return doneAt(here, "The sample is yours to change");
      case "move":
        await moveText(author, edition, path, fields.by === "-1" ? -1 : 1);
        return doneAt(here, "Moved");
      case "delete-file":
        await deleteMedia(author, edition, path);
        return doneAt(here, "Deleted", "The folder keeps it in “.deleted”.");
      default: {
        if (upload.kind === "too-large") return refuse({ message: "This file is too large." });
        if (upload.kind === "missing") return refuse({ message: "Choose a file." });
        const replaces = fields.replaces === "on";
        return doneAt(
          here,
          `Uploaded ${await storeUpload(author, edition, { ...upload, replaces })}`,
        );
      }
    }
  });
}

export default function EditionFiles() {
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  const { list } = useLoaderData<typeof loader>();
  const Page = useParams().part === "book" ? BookPage : SitePage;
  return <Page list={list} refusal={refusal} />;
}
