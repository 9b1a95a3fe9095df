import { type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { leadingTo, readDestination } from "~/features/accounts/destination";
import { requireViewer } from "~/features/accounts/viewer.server";
import { confirmPurchase, membershipOf } from "~/features/billing/checkout-success.server";
import { CheckoutSuccessPage } from "~/features/billing/checkout-success-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import { checkRateLimit } from "~/http/rate-limits.server";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Thank you", "Your premium membership.");

export const handle: RouteHandle = { metricsName: "/checkout", inTurn: false };

export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search, searchParams } = new URL(args.request.url);
  const here = readDestination(pathname + search);
  const { user } = await requireViewer(args, leadingTo(LOG_IN_PATH, here));
  const sessionId = searchParams.get("session_id");
  const { context } = args;
  const mayCallStripe = async () =>
    (await checkRateLimit("confirmation", { context, account: user.id })) === null;
  const state = await confirmPurchase(user.id, sessionId, mayCallStripe);
  if (!state) throw redirect("/#purchase");
  return { state, membership: state === "member" ? await membershipOf(user.id) : null };
}

export default function CheckoutSuccess() {
  return <CheckoutSuccessPage {...useLoaderData<typeof loader>()} />;
}
