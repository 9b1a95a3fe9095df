import {
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { Link, useSearchParams } from "@remix-run/react";
import { AuthPage } from "~/features/accounts/auth-page";
import authStyles from "~/features/accounts/auth-page.css";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/auth-paths";
import { PasskeySignIn } from "~/features/accounts/passkeys/passkey-sign-in";
import { useRootData } from "~/features/accounts/root-data";
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
  if (await findViewer(args)) throw redirect("/");
  return null;
}

export default function Auth() {
  const [search] = useSearchParams();
  const { form } = useRootData();
  return (
    <AuthPage
      tab={isSignUp(search.toString()) ? "signup" : "login"}
      email={form?.email ?? null}
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
