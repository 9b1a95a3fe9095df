import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { beginFile } from "~/features/desk/edition/begin-file.server";
import { openBook } from "~/features/desk/edition/check-book.server";
import { editorPath } from "~/features/desk/edition/edition-paths";
import { listSiteFiles } from "~/features/desk/edition/list-texts.server";
import { SiteFilesPage } from "~/features/desk/edition/site-files-page";
import { doneAt, doneOrRefused, textOf } from "~/http/page-answer.server";
import { readForm } from "~/http/request-body.server";

export const meta = deskMeta("Site");

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return listSiteFiles(await openBook());
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { fields } = await readForm(args.request);
  const wanted =
    fields.intent === "site"
      ? ({ kind: "site" } as const)
      : ({ kind: "page", name: textOf(fields.name).trim() } as const);
  return doneOrRefused(async () => {
    const path = await beginFile(author, await openBook(), wanted);
    return doneAt(editorPath(path), "Begun", "Nobody sees it before you save it to the site.");
  });
}

export default function Site() {
  const refusal = useActionData<typeof action>()?.refusal ?? null;
  return <SiteFilesPage listed={useLoaderData<typeof loader>()} refusal={refusal} />;
}
