import { Link, type LinkProps } from "@remix-run/react";
import { type ComponentPropsWithoutRef, forwardRef, type MouseEvent } from "react";

export type ButtonVariant = "primary" | "secondary" | "quiet";

type ButtonProps = ComponentPropsWithoutRef<"button"> & {
  variant?: ButtonVariant;
  /** Work is under way: the button keeps its focus, says so, and cannot be pressed again. */
  busy?: boolean;
};

/** A button of one of the site's three looks. Its type is `button` unless `type="submit"` is given. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { variant = "primary", busy = false, className, type = "button", onClick, ...rest },
  ref,
) {
  // A `disabled` button would drop the focus of whoever has just pressed it, so busy is aria-disabled.
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
