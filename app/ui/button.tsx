import { Link, type LinkProps } from "@remix-run/react";
import { type ComponentPropsWithoutRef, forwardRef, type MouseEvent } from "react";

export type ButtonVariant = "primary" | "secondary" | "quiet";

type ButtonProps = ComponentPropsWithoutRef<"button"> & {
  variant?: ButtonVariant;
  /** An action is in progress: the button keeps its focus, announces it, and cannot be pressed again. */
  busy?: boolean;
};

/** A button in one of the site's three variants. Its type is `button` unless `type="submit"` is given. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { variant = "primary", busy = false, className, type = "button", onClick, ...rest },
  ref,
) {
  // A `disabled` button would lose the focus of the visitor who pressed it, so busy is aria-disabled.
  const ignoreWhileBusy = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      {...rest}
      ref={ref}
      type={type}
      aria-disabled={busy || undefined}
      data-busy={busy || undefined}
      onClick={ignoreWhileBusy}
      className={buttonClass(variant, className)}
    />
  );
});

/** A link inside the site that looks like a button. */
export function ButtonLink({
  variant = "primary",
  className,
  ...rest
}: LinkProps & { variant?: ButtonVariant }) {
  return <Link {...rest} className={buttonClass(variant, className)} />;
}

function buttonClass(variant: ButtonVariant, className: string | undefined): string {
  return `button button-${variant}${className ? ` ${className}` : ""}`;
}
