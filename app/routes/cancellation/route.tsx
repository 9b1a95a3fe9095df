import { type ActionFunctionArgs, data, type MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { env } from "~/env.server";
import { firstProblem } from "~/features/accounts/credentials";
import { CancellationPage, CancellationReceivedPage } from "~/features/billing/cancellation-page";
import {
  cancellationSchema,
  declareCancellation,
} from "~/features/billing/declare-cancellation.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import { isSpam } from "~/http/honeypot.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Cancellation", "Cancel a contract without logging in.");

export const handle: RouteHandle = { metricsName: "/cancellation" };

export function loader() {
  requirePage();
  const { CANCELLATION_LINK_LABEL: link, CANCELLATION_BUTTON_LABEL: button } = env();
  return { labels: { link, button } };
}

/** Receives a cancellation. The page shows it, or what is wrong with what was typed, which stays. */
export async function action({ request, context }: ActionFunctionArgs) {
  requirePage();
  const { fields } = await readPageForm(request);
  const reject = (problem: string, status: number) =>
    data({ received: null, problem, typed: fields }, { status });
  const parsed = cancellationSchema.safeParse(fields);
  if (!parsed.success) return reject(firstProblem(parsed.error), 422);
  const seconds = await checkRateLimit("cancellation", { context, account: parsed.data.email });
  if (seconds !== null) return reject(waitMessage(seconds), 429);
  if (isSpam(fields)) return reject("Please try again.", 422);
  const received = await declareCancellation(parsed.data);
  if (!received) return reject("We couldn’t receive it. Please try again, or write to us.", 503);
  return data({ received, problem: undefined, typed: undefined });
}

function requirePage(): void {
  if (!env().CANCELLATION_PAGE) throw new Response(null, { status: 404 });
}

export default function Cancellation() {
  const { labels } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  if (answer?.received) return <CancellationReceivedPage {...answer.received} />;
  return <CancellationPage labels={labels} problem={answer?.problem} typed={answer?.typed} />;
}
