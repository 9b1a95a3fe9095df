import { Link } from "@remix-run/react";
import { FORGOT_PASSWORD_PATH, SIGN_UP_PATH } from "./auth-paths";
import { CredentialsForm } from "./credentials-form";
import { PasskeySignIn } from "./passkeys/passkey-sign-in";
import { useRootData } from "./root-data";

type LogInHereProps = {
  /** This page with its query string, to come back to. */
  returnTo: string;
};

/** The log-in form on a members-only page. */
export function LogInHere({ returnTo }: LogInHereProps) {
  // the values of a failed attempt
  const { form } = useRootData();
  return (
    <div className="mt-8 max-w-[28rem]">
      <CredentialsForm
        way="login"
        email={form?.email ?? ""}
        retry={form !== null}
        returnTo={returnTo}
      />
      <p className="mt-4 flex flex-wrap gap-x-6">
        <Link to={FORGOT_PASSWORD_PATH} className="text-link">
          Forgot your password?
        </Link>{" "}
        <Link to={SIGN_UP_PATH} className="text-link">
          Sign Up
        </Link>
      </p>
      <PasskeySignIn leadsTo={returnTo} />
    </div>
  );
}

type LogInFirstPageProps = {
  heading: string;
  lead: string;
  /** This page with its query string, to come back to. */
  returnTo: string;
};

/** Shown instead of the page a signed-out visitor's link leads to. */
export function LogInFirstPage({ heading, lead, returnTo }: LogInFirstPageProps) {
  return (
    <div className="frame py-[clamp(3rem,8vw,6rem)]">
      <h1 className="page-heading">{heading}</h1>
      <p className="lead">{lead}</p>
      <LogInHere returnTo={returnTo} />
    </div>
  );
}
