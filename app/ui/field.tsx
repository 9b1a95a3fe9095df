import { type ComponentPropsWithoutRef, forwardRef, useId, useState } from "react";
import { useHydrated } from "./use-hydrated";

type TextFieldProps = Omit<ComponentPropsWithoutRef<"input">, "id" | "className"> & {
  label: string;
  className?: string;
};

/** A labeled one-line input. */
export const TextField = forwardRef<HTMLInputElement, TextFieldProps>(function TextField(
  { label, className, ...input },
  ref,
) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <input {...input} ref={ref} id={id} className="field-input" />
    </div>
  );
});

type PasswordFieldProps = Omit<TextFieldProps, "type"> & {
  /** A short rule under the field, read out with it. */
  hint?: string;
};

/** A labeled password input which, where JavaScript runs, can show what was typed. */
export const PasswordField = forwardRef<HTMLInputElement, PasswordFieldProps>(
  function PasswordField({ label, hint, className, ...input }, ref) {
    const id = useId();
    const hintId = useId();
    const [visible, setVisible] = useState(false);
    const hydrated = useHydrated();
    return (
      <div className={className}>
        <label htmlFor={id} className="field-label">
          {label}
        </label>
        <div className="relative">
          <input
            {...input}
            ref={ref}
            id={id}
            type={visible ? "text" : "password"}
            aria-describedby={hint ? hintId : undefined}
            className="field-input field-input-password"
            spellCheck={false}
            autoCapitalize="none"
            autoCorrect="off"
          />
          {hydrated && (
            <button
              type="button"
              className="field-reveal"
              aria-controls={id}
              onClick={() => setVisible((was) => !was)}
            >
              {visible ? "Hide" : "Show"}
              <span className="sr-only"> password</span>
            </button>
          )}
        </div>
        {hint && (
          <p id={hintId} className="field-hint">
            {hint}
          </p>
        )}
      </div>
    );
  },
);
