import type {
  ActionFunctionArgs,
  HeadersFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import {
  requireUnsubscribeToken,
  unsubscribeWithForm,
} from "~/features/newsletter/unsubscribe.server";
import { UnsubscribedPage, UnsubscribePage } from "~/features/newsletter/unsubscribe-page";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

/**
 * The address is a key: no other site may learn it, and no cache may keep the page. Not `no-referrer`:
 * under that a browser posts the page's form with `Origin: null`, which is refused as foreign.
 */
export const headers: HeadersFunction = () => ({
  "Referrer-Policy": "strict-origin",
  "Cache-Control": "private, no-store",
});

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Unsubscribe"),
      description: "Leave the newsletter’s list.",
      path: "/newsletter/unsubscribe",
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = {
  metricsName: "/newsletter",
  // mail programs post here for one-click unsubscribing (RFC 8058)
  originCheck: false,
};

export async function loader({ request }: LoaderFunctionArgs) {
  return { token: await requireUnsubscribeToken(request) };
}

export const action = (args: ActionFunctionArgs) => unsubscribeWithForm(args);

export default function Unsubscribe() {
  const { token } = useLoaderData<typeof loader>();
  return useActionData<typeof action>() ? <UnsubscribedPage /> : <UnsubscribePage token={token} />;
}
