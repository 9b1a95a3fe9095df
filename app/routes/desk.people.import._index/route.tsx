import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireAuthor } from "~/features/desk/author.server";
import { deskMeta } from "~/features/desk/desk-meta";
import { ImportPage } from "~/features/desk/import-page";
import { keepList, LIST_LIMIT } from "~/features/desk/people-import.server";
import { listPath } from "~/features/desk/people-paths";
import { doneOrRefused, refuse } from "~/http/page-answer.server";
import { readUpload } from "~/http/request-body.server";

export const meta = deskMeta("Import subscribers");

const MEGABYTES = LIST_LIMIT / 1024 / 1024;

export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  return { megabytes: MEGABYTES };
}

export async function action(args: ActionFunctionArgs) {
  const author = await requireAuthor(args);
  const { upload } = await readUpload(args.request, { field: "list", limit: LIST_LIMIT });
  switch (upload.kind) {
    case "file":
      return doneOrRefused(async () => redirect(listPath(await keepList(author, upload)), 303));
    case "too-large":
      return refuse({ message: `The file is larger than ${MEGABYTES} MB. Split it.` });
    case "missing":
      return refuse({ message: "Choose a file." });
  }
}

export default function Import() {
  const refusal = useActionData<typeof action>()?.refusal;
  return <ImportPage {...useLoaderData<typeof loader>()} refusal={refusal} />;
}
