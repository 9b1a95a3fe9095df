import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireAuthor } from "~/features/desk/author.server";
import { loadPicture } from "~/features/desk/letters/letters.server";
import { found } from "~/http/page-answer.server";

/** A picture of a draft, for its preview. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAuthor(args);
  const { id = "", name = "" } = args.params;
  const picture = found(await loadPicture(id, name));
  return new Response(picture.content as Buffer<ArrayBuffer>, {
    headers: { "Content-Type": picture.mediaType },
  });
}
