import { useNavigate } from "@remix-run/react";
import { createContext, type ReactNode, useCallback, useContext, useMemo } from "react";
import type { ToastMessage } from "~/toast-messages";
import * as toasts from "~/toast-messages";
import { postJson, toastOf } from "~/ui/post-json";
import { useToast } from "~/ui/toaster";
import { useAuthChanges } from "./use-auth-changes";
import type { AuthUser, Viewer } from "./viewer";

/** The outcome of signing in, up or out: null, or why it failed. Its toast has already been shown. */
export type AuthOutcome = { error: { message: string } | null };

/** `others` are further fields of the submitted form. */
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
 * Provides the signed-in viewer to the pages under it. The server checks the session when it renders the page;
 * if it could not, the page is loading and retries. Later changes, including those in other tabs, reload the
 * viewer.
 */
export function AuthProvider({ viewer, isViewerKnown, children }: AuthProviderProps) {
  const navigate = useNavigate();
  const toast = useToast();
  const loading = useAuthChanges(viewer, isViewerKnown);

  const send = useCallback(
    async (path: string, fields: Record<string, unknown>, failed: ToastMessage) => {
      const answer = await postJson(path, fields);
      toast(toastOf(answer, failed));
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

/** The auth state and its three calls (specification, 3). Throws outside an AuthProvider. */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error("useAuth must be used within an AuthProvider");
  return auth;
}

/** Removes what this browser keeps of a viewer's unsaved texts; loaded only now, since few have any. */
async function forgetDraftsOf({ user }: Viewer): Promise<void> {
  try {
    const { forgetDrafts } = await import("~/ui/drafts");
    forgetDrafts(user.id);
  } catch {
    // without a connection there are no scripts to load; the next log-out removes them
  }
}
