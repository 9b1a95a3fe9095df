import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { LegalLinks } from "~/features/site/legal-links";
import { Button, EmailField, Honeypot, PasswordField } from "~/ui";
import { useAuth } from "./auth-context";
import { PASSWORD_MIN_LENGTH } from "./password-limits";

export type CredentialsWay = "login" | "signup";

const LABELS = {
  login: { submit: "Log In", busy: "Signing In...", password: "current-password" },
  signup: { submit: "Create Account", busy: "Creating Account...", password: "new-password" },
} as const;

type CredentialsFormProps = {
  way: CredentialsWay;
  email: string;
  /** Whether the last attempt failed: only the password has to be typed again. */
  retry: boolean;
  onEmailChange?: (email: string) => void;
  /** The page with this form, to return to; defaults to the account page. */
  returnTo?: string;
};

/**
 * The email and password form (specification, 4 and 5). Toasts show the outcome. After a failure the email stays, and
 * the password is cleared and focused.
 */
export function CredentialsForm({
  way,
  email,
  retry,
  onEmailChange,
  returnTo,
}: CredentialsFormProps) {
  const { signIn, signUp } = useAuth();
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const labels = LABELS[way];

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const fields = new FormData(event.currentTarget);
    // Disabled inputs lose focus; the button keeps it and shows progress.
    button.current?.focus();
    setBusy(true);
    const call = way === "login" ? signIn : signUp;
    const { email: address, password: secret, ...others } = Object.fromEntries(fields);
    const { error } = await call(String(address), String(secret), others);
    // On success the page navigates away; until then the form stays busy to prevent a second submission.
    if (!error) return;
    flushSync(() => setBusy(false));
    if (password.current) {
      password.current.value = "";
      password.current.focus();
    }
  };

  return (
    <form
      method="post"
      action={`/auth/${way}`}
      onSubmit={submit}
      className="grid gap-6"
      aria-busy={busy || undefined}
    >
      <EmailField
        label="Email"
        autoComplete="username"
        disabled={busy}
        defaultValue={email}
        onChange={(event) => onEmailChange?.(event.currentTarget.value)}
      />
      {returnTo && <input type="hidden" name="returnTo" value={returnTo} />}
      {way === "signup" && <Honeypot />}
      <PasswordField
        ref={password}
        label="Password"
        name="password"
        autoComplete={labels.password}
        required
        minLength={PASSWORD_MIN_LENGTH}
        // Only after a failed attempt, when the email is already filled in.
        autoFocus={retry}
        disabled={busy}
        hint={way === "signup" ? `At least ${PASSWORD_MIN_LENGTH} characters` : undefined}
      />
      <Button ref={button} type="submit" busy={busy} className="mt-2 w-full">
        {busy ? labels.busy : labels.submit}
      </Button>
      {way === "signup" && <LegalLinks />}
    </form>
  );
}
