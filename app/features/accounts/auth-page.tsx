import { Tabs, TabsContent, TabsList, TabsTrigger } from "@radix-ui/react-tabs";
import { Link, useLocation, useNavigate } from "@remix-run/react";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { DawnScene } from "~/ui/dawn-scene";
import { ArrowLeftIcon } from "~/ui/icons";
import { PrintedAddress } from "~/ui/printed-address";
import { useHydrated } from "~/ui/use-hydrated";
import { LOG_IN_PATH, SIGN_UP_PATH } from "./auth-paths";
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
  const hydrated = useHydrated();
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

  const select = (value: string) => {
    const way = value === "signup" ? "signup" : "login";
    if (way === selected) return;
    setChosen(way);
    setRetry(false);
    navigate(TABS[way].path, { replace: true, preventScrollReset: true, state: BY_TAB });
  };
  // The tabs switch on press and on arrow keys; without JavaScript the link below is used.
  const leaveToTabs = (event: MouseEvent) => {
    if (!(event.metaKey || event.ctrlKey || event.shiftKey)) event.preventDefault();
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
        <Tabs value={selected} onValueChange={select} className="mt-8">
          <TabsList
            className="tab-list grid grid-cols-[1fr_1fr] border-line-strong border-b"
            aria-label="Account access"
          >
            {(["login", "signup"] as const).map((way) => (
              <TabsTrigger key={way} value={way} asChild>
                <Link
                  to={TABS[way].path}
                  replace
                  preventScrollReset
                  className="tab"
                  // Radix expects a button, and removes tabs from the Tab order until its script runs.
                  type={undefined}
                  {...(hydrated ? {} : { tabIndex: 0 })}
                  onClick={leaveToTabs}
                >
                  {TABS[way].label}
                </Link>
              </TabsTrigger>
            ))}
          </TabsList>
          {(["login", "signup"] as const).map((way) => (
            <TabsContent key={way} value={way} tabIndex={-1} className="pt-8">
              <CredentialsForm
                way={way}
                email={typedEmail.current}
                retry={retry}
                onEmailChange={(typed) => {
                  typedEmail.current = typed;
                }}
              />
              {way === "login" && footer}
            </TabsContent>
          ))}
        </Tabs>
      </div>
    </div>
  );
}
