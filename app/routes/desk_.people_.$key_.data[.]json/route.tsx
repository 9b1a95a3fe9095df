import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { recordChange } from "~/features/desk/desk-log.server";
import { findPerson } from "~/features/desk/people.server";
import { personPath } from "~/features/desk/people-paths";
import { openAccountExport } from "~/features/my-account/export-account.server";
import { downloadOf } from "~/http/download.server";
import { found } from "~/http/page-answer.server";

/** All data about an account, as its owner can download it. */
export async function loader(args: LoaderFunctionArgs) {
  const { key = "" } = args.params;
  const author = await requireAuthor(args, "sensitive", personPath(key));
  const member = found(found(await findPerson(key)).member);
  const outcome = await openAccountExport(member.id);
  if (outcome.kind !== "opened") throw new Response(null, { status: 500 });
  await recordChange(author, "Downloaded the data of an account", { about: member.id });
  return downloadOf(
    args.request,
    { name: "account.json", type: "application/json" },
    async (write) => {
      for await (const part of outcome.parts) await write(part);
    },
  );
}
