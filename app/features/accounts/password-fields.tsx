import { PasswordField } from "~/ui";
import { PASSWORD_MIN_LENGTH } from "./password-limits";

/** The field for the account's current password, named `password`. */
export function CurrentPasswordField({ label, autoFocus }: { label: string; autoFocus?: boolean }) {
  return (
    <PasswordField
      label={label}
      name="password"
      autoComplete="current-password"
      required
      autoFocus={autoFocus}
    />
  );
}

/** The field for a new password (at least 6 characters: specification, 5). */
export function NewPasswordField({ name }: { name: string }) {
  return (
    <PasswordField
      label="New password"
      name={name}
      autoComplete="new-password"
      required
      minLength={PASSWORD_MIN_LENGTH}
      hint={`At least ${PASSWORD_MIN_LENGTH} characters`}
    />
  );
}

/** Tells password managers which account a form belongs to. */
export function PasswordOwner({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}
