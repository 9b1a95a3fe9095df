import type { ReactNode } from "react";
import { Button } from "~/ui/button";
import { PathDrawing } from "~/ui/path-drawing";

/**
 * The page of a link in a mail about an address. A button does what the link is for, because mail scanners open
 * links but submit no forms.
 */
export function EmailLinkPage({
  heading,
  children,
  action,
  token,
  label,
}: {
  heading: string;
  children: ReactNode;
  action: string;
  token: string;
  label: string;
}) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="waiting" />
      <p className="eyebrow">Your account</p>
      <h1 className="page-heading">{heading}</h1>
      <p className="lead wrap-anywhere">{children}</p>
      <form method="post" action={action} className="mt-8">
        <input type="hidden" name="token" value={token} />
        <Button type="submit">{label}</Button>
      </form>
    </section>
  );
}
