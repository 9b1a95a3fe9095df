import type {
  ActionFunctionArgs,
  HeadersFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { confirmWithForm, requireConfirmToken } from "~/features/newsletter/confirm.server";
import { ConfirmPage } from "~/features/newsletter/confirm-page";
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
      title: pageTitle("Confirm your email"),
      description: "Confirm that the newsletter may come to your address.",
      path: "/newsletter/confirm",
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/newsletter" };

export async function loader({ request }: LoaderFunctionArgs) {
  return { token: await requireConfirmToken(request) };
}

export const action = (args: ActionFunctionArgs) => confirmWithForm(args);

export default function Confirm() {
  return <ConfirmPage {...useLoaderData<typeof loader>()} />;
}
