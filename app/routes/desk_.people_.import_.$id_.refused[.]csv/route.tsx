import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { findRefusedRows } from "~/features/desk/people-import.server";
import { listPath } from "~/features/desk/people-paths";
import { downloadOf } from "~/http/download.server";
import { found } from "~/http/page-answer.server";

/** The rows of an uploaded list that are left out, and why. */
export async function loader(args: LoaderFunctionArgs) {
  const { id = "" } = args.params;
  const author = await requireAuthor(args, "sensitive", listPath(id));
  const csv = found(await findRefusedRows(author, id));
  return downloadOf(args.request, { name: "refused.csv", type: "text/csv" }, (write) => write(csv));
}
