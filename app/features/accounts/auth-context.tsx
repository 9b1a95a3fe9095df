import { useNavigate, useRevalidator } from "@remix-run/react";
import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ToastMessage } from "~/toast-messages";
import * as toasts from "~/toast-messages";
import { postJson, toastOf, useToast } from "~/ui";
import type { AuthUser, Viewer } from "./viewer";

/** The outcome of signing in, up or out; `error` is null on success. Its toast has already been shown. */
export type AuthOutcome = { error: { message: string } | null };

/** `others` are the form's remaining fields. */
type SignIn = (
  email: string,
  password: string,
  others?: Record<string, unknown>,
) => Promise<AuthOutcome>;

export type Auth = {
  user: AuthUser | null;
  /** True until the session has been checked, and while the viewer is reloaded after a change. */
  loading: boolean;
  isSubscribed: boolean;
  signIn: SignIn;
  signUp: SignIn;
  signOut: () => Promise<AuthOutcome>;
};

const AuthContext = createContext<Auth | null>(null);

type AuthProviderProps = {
  viewer: Viewer | null;
  /** Whether the server could check the session. */
  isViewerKnown: boolean;
  children: ReactNode;
};

/**
 * Provides the signed-in viewer to the pages below. The server checks the session when it renders; if it cannot, the
 * page shows as loading and retries. Later changes, also in other tabs, reload the viewer.
 */
export function AuthProvider({ viewer, isViewerKnown, children }: AuthProviderProps) {
  const navigate = useNavigate();
  const toast = useToast();
  const loading = useAuthChanges(viewer, isViewerKnown);

  const send = useCallback(
    async (path: string, fields: Record<string, unknown>, failed: ToastMessage) => {
      const answer = await postJson(path, fields);
      // after a sign-in, the next page has the toast
      if (!answer.ok || answer.body.toast) toast(toastOf(answer, failed));
      if (!answer.ok) {
        const message = answer.body.error ?? failed.description;
        return { error: { message: String(message) } };
      }
      // Navigating reloads the viewer with the page.
      navigate(String(answer.body.redirectTo ?? "/"));
      return { error: null };
    },
    [navigate, toast],
  );

  const value = useMemo<Auth>(
    () => ({
      user: viewer?.user ?? null,
      loading,
      isSubscribed: viewer?.isSubscribed ?? false,
      signIn: (email, password, others) =>
        send("/auth/login", { ...others, email, password }, toasts.signInFailed()),
      signUp: (email, password, others) =>
        send("/auth/signup", { ...others, email, password }, toasts.signUpFailed()),
      signOut: async () => {
        const outcome = await send("/logout", {}, toasts.signOutFailed());
        if (!outcome.error && viewer) await forgetDraftsOf(viewer);
        return outcome;
      },
    }),
    [viewer, loading, send],
  );
  return <AuthContext.Provider value={value}>{children}</AuthContext.Provider>;
}

/** Returns the auth state and its three calls (specification, 3). Throws outside an AuthProvider. */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error("useAuth must be used within an AuthProvider");
  return auth;
}

/** Removes a viewer's drafts from this browser. Its script loads on demand, since few visitors have drafts. */
async function forgetDraftsOf({ user }: Viewer): Promise<void> {
  try {
    const { forgetDrafts } = await import("~/ui/drafts");
    forgetDrafts(user.id);
  } catch {
    // offline, the script cannot load; the next log-out removes the drafts
  }
}

/** The localStorage key of a tab's current viewer. A change fires a storage event in the other tabs. */
const STORAGE_KEY = "golden-path:auth";

/**
 * Retry delays when the session could not be checked, in milliseconds after the last response. After the last retry
 * the page stays signed out until the next navigation, so a database outage causes no endless polling.
 */
const CHECK_AGAIN_AFTER_MS = [0, 5_000];

/**
 * Reloads user and profile when another tab signs in or out or gains or loses a membership. Also does so when a page
 * returns from the back/forward cache, and when the server could not check the session. Returns true while it runs, not
 * while a page reads its own data again.
 */
function useAuthChanges(viewer: Viewer | null, isKnown: boolean): boolean {
  const { revalidate, state } = useRevalidator();
  const [checks, setChecks] = useState(0);
  const [isChecking, setChecking] = useState(false);
  const shown = `${viewer?.user.id ?? ""} ${viewer?.isSubscribed ?? false}`;
  const current = useRef(shown);

  const check = useCallback(() => {
    revalidate();
    // Batched with the router's state update: the check must not appear finished in between.
    startTransition(() => setChecking(true));
  }, [revalidate]);
  useEffect(() => {
    if (state === "idle") setChecking(false);
  }, [state]);

  useEffect(() => {
    // An unknown viewer must not be announced to the other tabs.
    if (!isKnown) return;
    current.current = shown;
    try {
      // Fires 'storage' in the other tabs, only if the value changes.
      localStorage.setItem(STORAGE_KEY, shown);
    } catch {
      // Without storage, tabs notice changes only when restored from the back/forward cache.
    }
  }, [shown, isKnown]);

  useEffect(() => {
    if (isKnown) return setChecks(0);
    const delay = CHECK_AGAIN_AFTER_MS[checks];
    if (delay === undefined || state === "loading") return;
    const timer = setTimeout(() => {
      check();
      startTransition(() => setChecks(checks + 1));
    }, delay);
    return () => clearTimeout(timer);
  }, [isKnown, checks, state, check]);

  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === STORAGE_KEY && event.newValue !== current.current) check();
    };
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) check();
    };
    window.addEventListener("storage", onStorage);
    window.addEventListener("pageshow", onPageShow);
    return () => {
      window.removeEventListener("storage", onStorage);
      window.removeEventListener("pageshow", onPageShow);
    };
  }, [check]);

  return (isChecking && state === "loading") || (!isKnown && checks < CHECK_AGAIN_AFTER_MS.length);
}
