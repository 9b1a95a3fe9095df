import {
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { useEffect } from "react";
import { AuthPage } from "~/features/accounts/auth-page";
import authStyles from "~/features/accounts/auth-page.css";
import { FORGOT_PASSWORD_PATH, LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { PasskeySignIn } from "~/features/accounts/passkeys/passkey-sign-in";
import { useRootData } from "~/features/accounts/root-data";
import { checkSignIn } from "~/features/accounts/sign-in-cookies.server";
import { findViewer } from "~/features/accounts/viewer.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: authStyles }];

export const meta: MetaFunction = ({ location, matches }) =>
  unlistedMeta(matches, isSignUp(location.search) ? "Sign Up" : "Log In", "Your account.");

export const handle: RouteHandle = {
  metricsName: "/auth",
  cached: { searches: ["", "?tab=signup"] },
};

export async function loader(args: LoaderFunctionArgs) {
  const check = await checkSignIn(args.request);
  if (check.kind === "kept") throw redirect(check.leadsTo);
  if (await findViewer(args)) throw redirect("/");
  return check.kind === "refused" ? check : null;
}

export default function Auth() {
  const [search] = useSearchParams();
  const { form } = useRootData();
  const refused = useLoaderData<typeof loader>();
  useEffect(() => {
    // when the page is opened again, the browser may keep cookies
    if (refused) history.replaceState(history.state, "", LOG_IN_PATH);
  }, [refused]);
  return (
    <AuthPage
      // after a sign-in without a cookie, the form starts anew
      key={refused ? search.toString() : undefined}
      tab={isSignUp(search.toString()) ? "signup" : "login"}
      email={refused?.email ?? form?.email ?? null}
      refused={refused}
      footer={
        <>
          <Link to={FORGOT_PASSWORD_PATH} className="text-link mt-4">
            Forgot your password?
          </Link>
          <PasskeySignIn />
        </>
      }
    />
  );
}

function isSignUp(search: string): boolean {
  return new URLSearchParams(search).get("tab") === "signup";
}
