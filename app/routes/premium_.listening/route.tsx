import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findSession, findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import { CHAPTERS_PATH } from "~/features/library/library-paths";
import { saveListeningPosition } from "~/features/library/listening.server";
import { requireEdition } from "~/features/library/require-reader.server";
import { checkRateLimit } from "~/http/rate-limits.server";
import { errorResponse, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";

// posted every few seconds, so not worth an info line
export const handle: RouteHandle = { metricsName: "/premium/listening", logLevel: "debug" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect(CHAPTERS_PATH);
}

/** Stores the position in a sound, which only a page with JavaScript knows; anyone but a member gets a 403. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const { fields, wantsJson } = await readForm(request);
  if (!wantsJson) throw errorResponse(415, "Only JSON is accepted here.");
  if ((await findSession(args)) === "unknown") throw errorResponse(503, "Please try again later.");
  const viewer = await findViewer(args);
  if (!viewer?.isSubscribed) throw errorResponse(403, "Only members can do this.");
  const userId = viewer.user.id;
  const seconds = await checkRateLimit("listening", { context, account: userId });
  if (seconds !== null) {
    throw errorResponse(429, "Too many attempts.", { "Retry-After": String(seconds) });
  }
  const outcome = await saveListeningPosition({ userId, edition: await requireEdition() }, fields);
  return Response.json(
    { outcome },
    { status: STATUS[outcome], headers: { "Cache-Control": "no-store" } },
  );
}

const STATUS = { saved: 200, invalid: 422, "unknown-text": 404, failed: 503 };
