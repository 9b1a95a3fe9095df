import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import {
  memberOfToken,
  setNewTextsMailFor,
} from "~/features/library/new-texts/new-texts-consent.server";
import { unsubscribePath } from "~/features/mail/unsubscribe-links.server";
import {
  isUnsubscribeLink,
  type UnsubscribeOutcome,
  unsubscribe,
} from "~/features/newsletter/unsubscribe.server";
import { UnsubscribedPage, UnsubscribePage } from "~/features/newsletter/unsubscribe-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import { redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders } from "~/http/secret-link";
import * as toasts from "~/toast-messages";

export const headers = secretLinkHeaders;

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Unsubscribe", "Unsubscribe from these emails.");

export const handle: RouteHandle = {
  metricsName: "/newsletter",
  // mail clients post here for one-click unsubscribing (RFC 8058)
  originCheck: false,
};

/**
 * Takes the links of letters and of mails about new texts. Opening the page does not use up the link, because mail
 * scanners open links, too.
 */
export async function loader({ request }: LoaderFunctionArgs) {
  const token = secretInAddress(request);
  if ((await memberOfToken(token)) !== null) return { token, list: "new-texts" as const };
  if (!isUnsubscribeLink(token)) {
    throw await redirectWithToast("/", toasts.unsubscribeLinkInvalid);
  }
  return { token, list: "newsletter" as const };
}

/**
 * A form redirects to '/' with a toast. A mail client's one-click post (RFC 8058) gets a plain success, or an error
 * status on which it may retry. Such a post sends neither cookies nor the form's field, and follows no redirects.
 */
export async function action({ request }: ActionFunctionArgs) {
  const { fields } = await readPageForm(request);
  const oneClick = fields["List-Unsubscribe"] === "One-Click";
  const outcome = await endByLink(fields.token ?? secretInAddress(request), oneClick);
  switch (outcome.kind) {
    case "unsubscribed":
      return oneClick ? { unsubscribed: true } : redirectWithToast("/", toasts.unsubscribed);
    case "invalid-link":
      if (oneClick) throw errorResponse(400, "This link is incomplete.");
      return redirectWithToast("/", toasts.unsubscribeLinkInvalid);
    case "failed":
      if (oneClick) throw errorResponse(503, "Please try again later.", { "Retry-After": "60" });
      return redirectWithToast(unsubscribePath(outcome.token), toasts.unsubscribeFailed);
  }
}

async function endByLink(token: unknown, oneClick: boolean): Promise<UnsubscribeOutcome> {
  const member = await memberOfToken(token);
  if (member === null) return unsubscribe(token, oneClick);
  const isDone = await setNewTextsMailFor(member, false);
  return isDone ? { kind: "unsubscribed" } : { kind: "failed", token: String(token) };
}

export default function Unsubscribe() {
  const link = useLoaderData<typeof loader>();
  return useActionData<typeof action>() ? (
    <UnsubscribedPage {...link} />
  ) : (
    <UnsubscribePage {...link} />
  );
}
