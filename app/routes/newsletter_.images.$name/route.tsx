import type { LoaderFunctionArgs } from "@remix-run/node";
import { loadIssueImage } from "~/features/newsletter/issues.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/newsletter/images", embeddable: true };

/** An image of a letter, also for webmail. The content of a name never changes. */
export async function loader({ params }: LoaderFunctionArgs) {
  const image = await loadIssueImage(params.name ?? "");
  if (!image) throw new Response(null, { status: 404 });
  return new Response(image.content as Buffer<ArrayBuffer>, {
    headers: {
      "Content-Type": image.mediaType,
      "Content-Length": String(image.content.byteLength),
      "Cache-Control": "public, max-age=31536000, immutable",
    },
  });
}
