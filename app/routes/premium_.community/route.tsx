import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import { communityEntrance } from "~/features/community/discourse-connect.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/community" };

/** Redirects a member to the community, or back to the members' area if none is configured. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  throw redirect(communityEntrance() ?? "/premium", { headers: { "Cache-Control": "no-store" } });
}
