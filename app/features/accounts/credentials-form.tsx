import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "~/ui/button";
import { EmailField } from "~/ui/email-field";
import { PasswordField } from "~/ui/field";
import { Honeypot } from "~/ui/honeypot";
import { useAuth } from "./auth-context";
import { PASSWORD_MIN_LENGTH } from "./password-limits";

export type CredentialsWay = "login" | "signup";

const WORDS = {
  login: { submit: "Log In", busy: "Signing In...", password: "current-password" },
  signup: { submit: "Create Account", busy: "Creating Account...", password: "new-password" },
} as const;

type CredentialsFormProps = {
  way: CredentialsWay;
  email: string;
  /** The page came back from a failed attempt: the password is what is left to type. */
  retry: boolean;
  onEmailChange: (email: string) => void;
};

/**
 * E-mail and password (specification, 4 and 5). It says nothing about the outcome itself, that is the
 * toasts' part; after a failure the e-mail stays, the password goes and has the focus.
 */
export function CredentialsForm({ way, email, retry, onEmailChange }: CredentialsFormProps) {
  const { signIn, signUp } = useAuth();
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const words = WORDS[way];

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const fields = new FormData(event.currentTarget);
    // Disabled inputs drop the focus; the button keeps it and says what is going on.
    button.current?.focus();
    setBusy(true);
    const call = way === "login" ? signIn : signUp;
    const { email: address, password: secret, ...others } = Object.fromEntries(fields);
    const { error } = await call(String(address), String(secret), others);
    // After a success the page is left; until then the form stays as it is, so that it is not sent twice.
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
        onChange={(event) => onEmailChange(event.currentTarget.value)}
      />
      {way === "signup" && <Honeypot />}
      <PasswordField
        ref={password}
        label="Password"
        name="password"
        autoComplete={words.password}
        required
        minLength={PASSWORD_MIN_LENGTH}
        // only after a failed attempt, where the password is what is left to type
        autoFocus={retry}
        disabled={busy}
        hint={way === "signup" ? `At least ${PASSWORD_MIN_LENGTH} characters` : undefined}
      />
      <Button ref={button} type="submit" busy={busy} className="mt-2 w-full">
        {busy ? words.busy : words.submit}
      </Button>
    </form>
  );
}
