import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { recordChange } from "~/features/desk/desk-log.server";
import { PEOPLE_PATH } from "~/features/desk/people-paths";
import { exportMembers } from "~/features/my-account/export-members.server";
import { downloadOf } from "~/http/download.server";

/** All accounts as CSV. */
export async function loader(args: LoaderFunctionArgs) {
  const author = await requireAuthor(args, "sensitive", PEOPLE_PATH);
  await recordChange(author, "Downloaded the list of accounts");
  return downloadOf(args.request, { name: "members.csv", type: "text/csv" }, (write) =>
    exportMembers({ match: "", premium: false, now: new Date() }, write),
  );
}
