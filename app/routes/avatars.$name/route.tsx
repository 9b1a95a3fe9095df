import type { LoaderFunctionArgs } from "@remix-run/node";
import { loadAvatar } from "~/features/my-account/avatar/change-avatar.server";
import { documentResponse } from "~/http/file-response.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/avatars" };

/** A name is a hash of the content, so the response never changes. */
export async function loader({ request, params }: LoaderFunctionArgs) {
  const avatar = await loadAvatar(params.name ?? "");
  if (!avatar) throw new Response(null, { status: 404 });
  return documentResponse(request, {
    content: avatar.content,
    mediaType: "image/webp",
    tag: avatar.sha256,
    cacheControl: "public, max-age=31536000, immutable",
  });
}
