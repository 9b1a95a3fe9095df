import { Link } from "@remix-run/react";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";
import { CredentialsForm } from "./credentials-form";
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
      <Link to={FORGOT_PASSWORD_PATH} className="text-link mt-4">
        Forgot your password?
      </Link>
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
