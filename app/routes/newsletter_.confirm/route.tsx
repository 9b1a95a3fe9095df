import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { oldLinkPath } from "~/features/my-account/account-paths";
import { confirmSubscription } from "~/features/newsletter/confirm.server";
import { confirmPath } from "~/features/newsletter/subscriber-links.server";
import { readSubscriberToken } from "~/features/newsletter/subscriber-token.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import { redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders } from "~/http/secret-link";
import * as toasts from "~/toast-messages";
import { MailedLinkPage } from "~/ui/mailed-link-page";

export const headers = secretLinkHeaders;

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Confirm your email", "Confirm your newsletter subscription.");

export const handle: RouteHandle = { metricsName: "/newsletter" };

/** Opening the page does not use up the link, because mail scanners open links too. */
export async function loader({ request }: LoaderFunctionArgs) {
  const token = secretInAddress(request);
  if (!readSubscriberToken("confirm", token)) throw await rejectLink();
  return { token };
}

export async function action({ request }: ActionFunctionArgs) {
  const { fields } = await readPageForm(request);
  const outcome = await confirmSubscription(fields.token);
  switch (outcome.kind) {
    case "confirmed":
      return redirectWithToast("/#newsletter", toasts.newsletterConfirmed);
    case "invalid-link":
      return rejectLink();
    case "failed":
      return redirectWithToast(confirmPath(outcome.subscriberId), toasts.newsletterConfirmFailed);
  }
}

const rejectLink = () => redirectWithToast(oldLinkPath("newsletter"), null);

export default function Confirm() {
  const { token } = useLoaderData<typeof loader>();
  return (
    <MailedLinkPage
      eyebrow="Newsletter"
      heading="One step left"
      action="/newsletter/confirm"
      token={token}
      label="Confirm my email"
    >
      Confirm your email to get the next letter. You can unsubscribe anytime.
    </MailedLinkPage>
  );
}
