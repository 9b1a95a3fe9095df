import { Link, useLocation, useNavigate } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { DawnScene } from "~/ui/dawn-scene";
import { ArrowLeftIcon } from "~/ui/icons";
import { PrintedAddress } from "~/ui/printed-address";
import { LOG_IN_PATH, SIGN_UP_PATH } from "./auth-paths";
import { AuthTabs } from "./auth-tabs";
import { CredentialsForm, type CredentialsWay } from "./credentials-form";

const TABS = {
  login: { path: LOG_IN_PATH, label: "Login", heading: "Welcome back" },
  signup: { path: SIGN_UP_PATH, label: "Sign Up", heading: "Begin your path" },
} as const;

/** The history state of a URL that was set by a choice of tab. */
const BY_TAB = "by-tab";

type AuthPageProps = {
  tab: CredentialsWay;
  /** What a failed attempt left in the e-mail field. */
  email: string | null;
  /** Stands under the Login form. */
  footer?: ReactNode;
};

/** The account page (specification, 2): Login and Sign Up as two tabs, each with an address of its own. */
export function AuthPage({ tab, email, footer }: AuthPageProps) {
  const navigate = useNavigate();
  const location = useLocation();
  // A choice takes effect at once; the URL follows.
  const [chosen, setChosen] = useState<CredentialsWay | null>(null);
  const selected = chosen ?? tab;
  const [retry, setRetry] = useState(email !== null);
  // The email typed into one form is shared with the other.
  const typedEmail = useRef(email ?? "");

  useEffect(() => {
    // The URL of an earlier choice may arrive after a later one has been made.
    const isOvertaken = (way: CredentialsWay | null) => location.state === BY_TAB && way !== tab;
    setChosen((way) => (isOvertaken(way) ? way : null));
  }, [location, tab]);

  const select = (way: CredentialsWay) => {
    if (way === selected) return;
    setChosen(way);
    setRetry(false);
    navigate(TABS[way].path, { replace: true, preventScrollReset: true, state: BY_TAB });
  };

  return (
    <div className="frame auth-page">
      <div className="on-night auth-scene">
        <DawnScene />
        <p className="auth-motto">
          You only ever see one stretch of it.
          <br />
          That’s enough.
        </p>
      </div>
      <div className="auth-forms">
        <Link to="/" className="back-link">
          <ArrowLeftIcon className="size-5" />
          Back to Home
        </Link>
        <h1 className="page-heading mt-6">{TABS[selected].heading}</h1>
        <PrintedAddress path={LOG_IN_PATH} />
        <AuthTabs
          label="Account access"
          tabs={TABS}
          selected={selected}
          onSelect={select}
          className="mt-8"
        >
          <CredentialsForm
            way={selected}
            email={typedEmail.current}
            retry={retry}
            onEmailChange={(typed) => {
              typedEmail.current = typed;
            }}
          />
          {selected === "login" && footer}
        </AuthTabs>
      </div>
    </div>
  );
}
