import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useParams } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { DESK_PATH } from "~/features/desk/desk-paths";
import { beginFile } from "~/features/desk/edition/edition-drafts.server";
import {
  beginWithSample,
  deleteMedia,
  listEdition,
  moveText,
  storeUpload,
} from "~/features/desk/edition/edition-files.server";
import { openEdition } from "~/features/desk/edition/edition-folder.server";
import { EditionPage } from "~/features/desk/edition/edition-lists";
import { editorPath, UPLOAD_LIMIT, UPLOAD_RULE } from "~/features/desk/edition/edition-paths";
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
  return listEdition(await openEdition(), pathOf(args));
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const here = pathOf(args);
  const { fields, upload } = await readUpload(args.request, { field: "file", limit: UPLOAD_LIMIT });
  const edition = await openEdition();
  const path = textOf(fields.path);
  return doneOrRefused(async () => {
    switch (fields.intent) {
      case "begin": {
        const wanted = { kind: textOf(fields.kind), title: textOf(fields.title) };
        return doneAt(editorPath(await beginFile(author, edition, wanted)), "Begun as a draft");
      }
      case "sample":
        await beginWithSample(author, edition);
        return doneAt(here, "The sample is yours to change");
      case "move":
        await moveText(author, edition, path, fields.by === "-1" ? -1 : 1);
        return doneAt(here, "Moved");
      case "delete-file":
        await deleteMedia(author, edition, path);
        return doneAt(here, "Deleted", "The folder keeps it in “.deleted”.");
      default: {
        if (upload.kind !== "file") return refuse({ message: `Choose a file. ${UPLOAD_RULE}.` });
        const stored = await storeUpload(author, edition, upload, fields.replaces === "on");
        return doneAt(here, `Uploaded ${stored}`);
      }
    }
  });
}

export default function EditionFiles() {
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  const list = useLoaderData<typeof loader>();
  return <EditionPage list={list} refusal={refusal} isBook={useParams().part === "book"} />;
}
