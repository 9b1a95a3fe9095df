import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath, verifyPath } from "~/features/my-account/account-paths";
import { openAccountExport } from "~/features/my-account/export-account.server";
import { downloadParts } from "~/http/download.server";
import { redirectWithToast } from "~/http/form-answer.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account/data.json" };

const section = sectionPath("data");

/** All data about the account as a file, for an owner who has recently verified their identity. */
export async function loader(args: LoaderFunctionArgs) {
  const { request, context } = args;
  const { userId, session } = await requireAccount(args);
  // not back here: a browser that gets a file would stay on the verification page
  if (!isRecentlyVerified(session)) throw redirect(verifyPath(section));
  const failure = (message?: string) => redirectWithToast(section, toasts.accountFailed(message));
  const seconds = await checkRateLimit("account-data", { context, account: userId });
  if (seconds !== null) return failure(waitMessage(seconds));
  const outcome = await openAccountExport(userId);
  if (outcome.kind !== "opened") return failure();
  const file = { name: "account.json", type: "application/json" } as const;
  return downloadParts(request, file, outcome.parts);
}
