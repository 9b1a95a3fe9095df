import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { recordChange } from "~/features/desk/desk-log.server";
import { PEOPLE_PATH } from "~/features/desk/people-paths";
import { exportSubscribers } from "~/features/newsletter/export-subscribers.server";
import { downloadOf } from "~/http/download.server";

/** All subscribers as CSV. */
export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args, "sensitive", PEOPLE_PATH);
  await recordChange(author, "Downloaded the list of subscribers");
  return downloadOf(args.request, { name: "subscribers.csv", type: "text/csv" }, exportSubscribers);
}
