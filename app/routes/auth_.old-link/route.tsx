import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { findOldLink, OldLinkPage } from "~/features/my-account/old-link-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "This link no longer works", "What to do instead.");

export const handle: RouteHandle = { metricsName: "/auth" };

/** Where the pages of mailed links lead if the link is used up, too old, or not complete. */
export async function loader({ request }: LoaderFunctionArgs) {
  const link = findOldLink(new URL(request.url).searchParams.get("of"));
  if (!link) throw redirect(LOG_IN_PATH);
  return { link };
}

export default function OldLink() {
  return <OldLinkPage {...useLoaderData<typeof loader>()} />;
}
