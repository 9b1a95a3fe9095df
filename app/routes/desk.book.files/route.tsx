import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { deleteMedia, listMedia, storeUpload } from "~/features/desk/edition/book-media.server";
import { openBook } from "~/features/desk/edition/check-book.server";
import { FILES_PATH, UPLOAD_LIMIT } from "~/features/desk/edition/edition-paths";
import { MediaPage } from "~/features/desk/edition/media-page";
import { doneAt, doneOrRefused, refuse, textOf } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";

export const meta = deskMeta("Pictures and sounds");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return { media: await listMedia(await openBook()) };
}

/** Uploads a file, or deletes one that nothing uses. */
export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields, upload } = await readUpload(args.request, { field: "file", limit: UPLOAD_LIMIT });
  const book = await openBook();
  return doneOrRefused(async () => {
    if (fields.intent === "delete") {
      await deleteMedia(author, book, textOf(fields.path));
      return doneAt(FILES_PATH, "Deleted", "The folder keeps it in “.deleted”.");
    }
    if (upload.kind === "too-large") return refuse({ message: "This file is too large." });
    if (upload.kind === "missing" || upload.bytes.length === 0) {
      return refuse({ message: "Choose a file first." });
    }
    const path = await storeUpload(author, book, {
      ...upload,
      replaces: fields.replaces === "yes",
    });
    return doneAt(FILES_PATH, "Uploaded", `It is ${path}.`);
  });
}

export default function Files() {
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  return <MediaPage {...useLoaderData<typeof loader>()} refusal={refusal} />;
}
