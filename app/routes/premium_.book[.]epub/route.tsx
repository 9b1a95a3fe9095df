import type { LoaderFunctionArgs } from "@remix-run/node";
import { create as contentDisposition } from "content-disposition";
import { memberBook } from "~/features/library/book/member-book.server";
import { requireReader } from "~/features/library/require-reader.server";
import { downloadParts } from "~/http/download.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/premium/book.epub", inTurn: false };

/** The book for e-readers, with the member's address in its colophon. */
export async function loader(args: LoaderFunctionArgs) {
  const reader = await requireReader(args);
  if (!reader) throw errorResponse(503, "Please try again later.", { "Retry-After": "5" });
  const { viewer, edition } = reader;
  const book = await memberBook(edition, { email: viewer.user.readableEmail, now: new Date() });
  const file = { name: "book.epub", type: "application/epub+zip" } as const;
  const response = downloadParts(args.request, file, book);
  response.headers.set("Content-Disposition", contentDisposition(`${edition.site.title}.epub`));
  return response;
}
