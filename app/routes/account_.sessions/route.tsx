import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireAccount } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";
import {
  type EndSessionsOutcome,
  endOtherSessions,
  endSession,
  removePodcastAddress,
} from "~/features/my-account/end-sessions.server";
import { answerForm, failForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("sessions");

export const loader = () => redirect(redirectTo);

/** Ends one of the account's sessions, or all but this one, or the access by the podcast address. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request);
  const { userId, tokenHash } = await requireAccount(args);
  const { intent, session } = form.fields;
  // a map, since an object also has what each object has, such as "constructor"
  const ends = new Map<string, [() => Promise<EndSessionsOutcome>, toasts.ToastMessage]>([
    ["end-others", [() => endOtherSessions(userId, tokenHash), toasts.otherSessionsEnded]],
    ["remove-podcast", [() => removePodcastAddress(userId), toasts.podcastAddressRemoved]],
  ]);
  const one = [() => endSession(userId, session), toasts.sessionEnded] as const;
  const [end, toast] = ends.get(String(intent)) ?? one;
  const outcome = await end();
  if (outcome.kind === "failed") {
    return failForm(form, 422, { toast: toasts.accountFailed(), redirectTo });
  }
  return answerForm(form, { toast, redirectTo });
}
