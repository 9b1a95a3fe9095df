import { type ComponentPropsWithoutRef, forwardRef } from "react";
import { TextField } from "./field";

type EmailFieldProps = Omit<
  ComponentPropsWithoutRef<typeof TextField>,
  "type" | "inputMode" | "autoCapitalize" | "spellCheck" | "required" | "autoComplete"
> & {
  /** "username" where the address names an account, so that password managers fill it in. */
  autoComplete: "username" | "email";
};

/** The email field of every form, named `email` unless told. Browsers validate it by the rule of `emailSchema`. */
export const EmailField = forwardRef<HTMLInputElement, EmailFieldProps>(
  function EmailField(input, ref) {
    return (
      <TextField
        ref={ref}
        name="email"
        type="email"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...input}
      />
    );
  },
);
