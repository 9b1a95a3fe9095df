import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findViewer, requireViewer } from "~/features/accounts/viewer.server";
import { leaveForPayment, rejectPayment } from "~/features/billing/payment-pages.server";
import { answerPortal } from "~/features/billing/portal-answer.server";
import { returnFromPortal } from "~/features/billing/portal-return.server";
import { answerForm } from "~/http/form-answer.server";
import { whileOutside } from "~/http/page-slots.server";
import { checkRateLimit } from "~/http/rate-limits.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

export const handle: RouteHandle = { metricsName: "/billing" };

/** The way back from Stripe's portal: what was changed there is known before the next page is made. */
export async function loader(args: LoaderFunctionArgs) {
  const { context, request } = args;
  const viewer = await findViewer(args);
  const isMember = isFetchedAhead(request)
    ? viewer?.isSubscribed
    : viewer &&
      (await whileOutside(context, () =>
        returnFromPortal(viewer.user.id, async () => {
          const attempt = { context, account: viewer.user.id };
          return (await checkRateLimit("confirmation", attempt)) === null;
        }),
      ));
  return redirect(isMember ? "/premium" : "/#purchase", {
    headers: { "Cache-Control": "no-store" },
  });
}

/** Sends a customer to Stripe's portal, where a membership is cancelled, resumed and its card mended. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request, args.context);
  const { user } = await requireViewer(args, "/auth");
  const { context } = args;
  const seconds = await checkRateLimit("portal", { context, account: user.id });
  if (seconds !== null) return rejectPayment(form, seconds, context);
  const answer = await answerPortal(user.id);
  return "url" in answer && !form.wantsJson
    ? leaveForPayment(answer.url)
    : answerForm(form, {
        toast: "toast" in answer ? answer.toast : null,
        status: "toast" in answer ? answer.status : 200,
        redirectTo: "/#purchase",
        body: "url" in answer ? { url: answer.url } : {},
      });
}

/** Whether a browser only prepares for a visit, or asks for the headers alone: nobody has come back yet. */
function isFetchedAhead({ method, headers }: Request): boolean {
  const purpose = headers.get("Sec-Purpose") ?? headers.get("Purpose") ?? "";
  return method !== "GET" || purpose.includes("prefetch");
}
