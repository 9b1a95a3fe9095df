import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { ArrowLeftIcon, DawnScene } from "~/ui";

/** The layout of the password reset pages, like the account page's. */
export function PasswordResetFrame({
  heading,
  children,
}: {
  heading: string;
  children: ReactNode;
}) {
  return (
    <div className="frame auth-page">
      <div className="on-night auth-scene">
        <DawnScene />
        <p className="auth-motto">
          Turning back for a key
          <br />
          is still walking.
        </p>
      </div>
      <div className="auth-forms">
        <Link to="/auth" className="back-link">
          <ArrowLeftIcon className="size-5" />
          Back to login
        </Link>
        <h1 className="page-heading mt-6">{heading}</h1>
        {children}
      </div>
    </div>
  );
}
