import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { useLocation } from "@remix-run/react";
import { LogInFirstPage } from "~/features/accounts/log-in-here";
import { findViewer } from "~/features/accounts/viewer.server";
import {
  connectAnswer,
  hasCommunity,
  readConnectRequest,
} from "~/features/community/discourse-connect.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import { redirectWithToast } from "~/http/form-answer.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Community", "The members’ community.");

export const handle: RouteHandle = { metricsName: "/community" };

/** Tells Discourse who the viewer is, if they are a member; asks a signed-out visitor to log in. */
export async function loader(args: LoaderFunctionArgs) {
  if (!hasCommunity()) throw new Response(null, { status: 404 });
  const { searchParams } = new URL(args.request.url);
  const request = readConnectRequest(searchParams.get("sso"), searchParams.get("sig"));
  // no redirect to the community: with the wrong secret it would come right back
  if (!request) throw new Response("This request didn’t come from the community.", { status: 400 });
  const viewer = await findViewer(args);
  if (!viewer) return null;
  if (!viewer.isSubscribed) return redirectWithToast("/#purchase", toasts.communityForMembers);
  const headers = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
  throw redirect(connectAnswer(request, viewer.user), { headers });
}

export default function Connect() {
  const { pathname, search } = useLocation();
  return (
    <LogInFirstPage
      heading="Log in to the community"
      lead="You’ll go right back after you log in."
      returnTo={pathname + search}
    />
  );
}
