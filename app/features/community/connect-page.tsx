import { Link } from "@remix-run/react";
import { CredentialsForm } from "~/features/accounts/credentials-form";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/password-reset-paths";

type ConnectPageProps = {
  /** This page with its query string, to come back to. */
  returnTo: string;
  /** What a failed attempt to log in left in the e-mail field. */
  email: string | null;
};

/** Where Discourse sends somebody who is not signed in here. */
export function ConnectPage({ returnTo, email }: ConnectPageProps) {
  return (
    <div className="frame py-[clamp(3rem,8vw,6rem)]">
      <h1 className="page-heading">Log in to the community</h1>
      <p className="lead">It opens with your membership, and takes you right back.</p>
      <div className="mt-8 max-w-[28rem]">
        <CredentialsForm
          way="login"
          email={email ?? ""}
          retry={email !== null}
          returnTo={returnTo}
        />
        <Link to={FORGOT_PASSWORD_PATH} className="text-link mt-4">
          Forgot your password?
        </Link>
      </div>
    </div>
  );
}
