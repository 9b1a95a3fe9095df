import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useRootData } from "~/features/accounts/root-data";
import { requireAccount } from "~/features/accounts/viewer.server";
import { findAuthor } from "~/features/desk/author.server";
import { AccountPage } from "~/features/my-account/account-page";
import { ACCOUNT_PATH } from "~/features/my-account/account-paths";
import { loadAccountView } from "~/features/my-account/account-view.server";
import accountStyles from "~/features/my-account/my-account.css";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: accountStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "My Account", "Your account.");

export const handle: RouteHandle = { metricsName: ACCOUNT_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const { userId, viewer, session } = await requireAccount(args);
  const isAuthor = (await findAuthor(args)) !== null;
  return { isAuthor, viewer, view: await loadAccountView(userId, session) };
}

export default function Account() {
  const { form } = useRootData();
  return <AccountPage {...useLoaderData<typeof loader>()} typedEmail={form?.email ?? null} />;
}
