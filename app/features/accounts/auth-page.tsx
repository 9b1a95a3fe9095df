import { Link, useLocation, useNavigate } from "@remix-run/react";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useSite } from "~/features/site/page-site";
import { ArrowLeftIcon, DawnScene, PrintedAddress, PublicUrlContext, useHydrated } from "~/ui";
import { LOG_IN_PATH, SIGN_UP_PATH } from "./auth-paths";
import { CredentialsForm, type CredentialsWay } from "./credentials-form";
import { purposeOf } from "./destination";
import { useRootData } from "./root-data";

const TABS = {
  login: { path: LOG_IN_PATH, label: "Login", heading: "Welcome back", verb: "Log in" },
  signup: {
    path: SIGN_UP_PATH,
    label: "Sign Up",
    heading: "Create your account",
    verb: "Sign up",
  },
} as const;

/** History state of a URL set by selecting a tab. */
const BY_TAB = "by-tab";

type AuthPageProps = {
  tab: CredentialsWay;
  /** The email from a failed attempt, to restore. */
  email: string | null;
  /** Set if the browser has not kept the cookie of a sign-in that leads to this path. */
  refused: { leadsTo: string } | null;
  /** Shown below the Login form. */
  footer?: ReactNode;
};

/** The account page (specification, 2): Login and Sign Up as two tabs, each with its own URL. */
export function AuthPage({ tab, email, refused, footer }: AuthPageProps) {
  const navigate = useNavigate();
  const location = useLocation();
  // The selected tab shows at once; the URL follows.
  const [chosen, setChosen] = useState<CredentialsWay | null>(null);
  const selected = chosen ?? tab;
  const [retry, setRetry] = useState(email !== null);
  // The email typed into one form is shared with the other.
  const { isSample, slogan, title } = useSite();
  const { destination } = useRootData();
  const { heading, verb } = TABS[selected];
  const typedEmail = useRef(email ?? "");

  useEffect(() => {
    // The URL of an earlier selection may arrive after a later selection.
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
          {isSample ? (
            <>
              You only ever see one stretch of it.
              <br />
              That’s enough.
            </>
          ) : (
            (slogan ?? title)
          )}
        </p>
      </div>
      <div className="auth-forms">
        <Link to="/" className="back-link">
          <ArrowLeftIcon className="size-5" />
          Back to Home
        </Link>
        <h1 className="page-heading mt-6">
          {refused && selected === "login"
            ? "Almost there"
            : destination
              ? `${verb} to ${purposeOf(destination.path)}`
              : heading}
        </h1>
        <PrintedAddress path={LOG_IN_PATH} />
        {refused && <CookieRefused />}
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
            returnTo={refused?.leadsTo}
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

/** Says that the browser has not kept the session's cookie, and what to do. */
function CookieRefused() {
  const { host, protocol } = new URL(useContext(PublicUrlContext));
  return (
    <p role="alert" className="mt-6 rounded-md border border-gold bg-highlight px-5 py-4">
      <strong>You’re not logged in:</strong> your browser didn’t keep the cookie that keeps you
      logged in. Please allow cookies for <span className="wrap-anywhere">{host}</span> in its
      settings
      {protocol === "https:" && ", check that the address begins with https://"}, and log in again.
    </p>
  );
}

type AuthTabsProps<Key extends string> = {
  /** The tab list's accessible name. */
  label: string;
  /** Each tab's `path` shows the page with that tab selected. */
  tabs: Readonly<Record<Key, { path: string; label: string }>>;
  selected: Key;
  /** Called when a tab is pressed or focused, even if it is already selected. */
  onSelect: (key: Key) => void;
  className?: string;
  /** The selected tab panel's content. */
  children: ReactNode;
};

/**
 * Tabs after the WAI-ARIA Authoring Practices, selected by focus. Tab reaches the selected tab, the arrow keys wrap
 * around, and Home and End go to the first and the last. Until hydration they are plain links.
 */
function AuthTabs<Key extends string>({
  label,
  tabs,
  selected,
  onSelect,
  className,
  children,
}: AuthTabsProps<Key>) {
  const id = useId();
  const hydrated = useHydrated();
  const list = useRef<HTMLDivElement>(null);
  const keys = Object.keys(tabs) as Key[];

  const onKeyDown = (event: KeyboardEvent, key: Key) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    if (event.key === " ") {
      // a space would scroll, since the tab is a link
      event.preventDefault();
      onSelect(key);
      return;
    }
    const next = nextIndex(event.key, keys.indexOf(key), keys.length);
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  const onMouseDown = (event: MouseEvent, key: Key) => {
    // select on press, not on click; other buttons must not select the tab by focusing it
    if (event.button === 0 && !event.ctrlKey) onSelect(key);
    else event.preventDefault();
  };
  const onClick = (event: MouseEvent, key: Key) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(key);
  };

  return (
    <div className={className}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        aria-orientation="horizontal"
        className="tab-list grid grid-cols-[1fr_1fr] border-line-strong border-b"
      >
        {keys.map((key) => (
          <Link
            key={key}
            to={tabs[key].path}
            replace
            preventScrollReset
            role="tab"
            id={`${id}tab-${key}`}
            aria-selected={key === selected}
            aria-controls={`${id}panel-${key}`}
            tabIndex={hydrated && key !== selected ? -1 : 0}
            className="tab"
            onFocus={() => onSelect(key)}
            onKeyDown={(event) => onKeyDown(event, key)}
            onMouseDown={(event) => onMouseDown(event, key)}
            onClick={(event) => onClick(event, key)}
          >
            {tabs[key].label}
          </Link>
        ))}
      </div>
      {keys.map((key) => (
        <div
          key={key}
          role="tabpanel"
          id={`${id}panel-${key}`}
          aria-labelledby={`${id}tab-${key}`}
          tabIndex={-1}
          hidden={key !== selected}
          className="pt-8"
        >
          {key === selected && children}
        </div>
      ))}
    </div>
  );
}

/** Returns the index of the tab a key moves to; undefined for other keys. */
function nextIndex(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
      return (current - 1 + count) % count;
    case "ArrowRight":
      return (current + 1) % count;
    case "Home":
    case "PageUp":
      return 0;
    case "End":
    case "PageDown":
      return count - 1;
    default:
      return undefined;
  }
}
