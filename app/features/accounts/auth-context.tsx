import { createContext, type ReactNode, useContext } from "react";
import type { AuthUser, Viewer } from "./viewer";

/** The outcome of signing in, up or out: null, or why it failed. The toast has been shown by then. */
export type AuthOutcome = { error: { message: string } | null };

export type Auth = {
  user: AuthUser | null;
  loading: boolean;
  isSubscribed: boolean;
  signIn: (email: string, password: string) => Promise<AuthOutcome>;
  signUp: (email: string, password: string) => Promise<AuthOutcome>;
  signOut: () => Promise<AuthOutcome>;
};

const AuthContext = createContext<Auth | null>(null);

export function AuthProvider({ viewer, children }: { viewer: Viewer | null; children: ReactNode }) {
  const todo = async () => ({ error: null });
  const value: Auth = {
    user: viewer?.user ?? null,
    loading: false,
    isSubscribed: viewer?.isSubscribed ?? false,
    signIn: todo,
    signUp: todo,
    signOut: todo,
  };
  return <AuthContext.Provider value={value}>{children}</AuthContext.Provider>;
}

/** The auth state and its three calls (specification, 3). Throws outside an AuthProvider. */
export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error("useAuth must be used within an AuthProvider");
  return auth;
}
