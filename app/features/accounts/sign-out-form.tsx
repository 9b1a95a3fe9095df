import type { ReactNode } from "react";
import { useAuth } from "./auth-context";

/** A form with one submit button that signs out: through `useAuth` with JavaScript, by POST without. */
export function SignOutForm({ children, className }: { children: ReactNode; className?: string }) {
  const { signOut } = useAuth();
  return (
    <form
      method="post"
      action="/logout"
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        void signOut();
      }}
    >
      {children}
    </form>
  );
}
