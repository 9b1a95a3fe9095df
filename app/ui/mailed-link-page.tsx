import type { ReactNode } from "react";
import { Button } from "./button";
import { PathDrawing } from "./path-drawing";

type MailedLinkPageProps = {
  /** The subject of the link. */
  eyebrow: string;
  heading: string;
  children: ReactNode;
  /** The path to which the button posts the token. */
  action: string;
  token: string;
  label: string;
};

/**
 * The page of a link in a mail. Only its button acts, because mail scanners open links but submit no forms.
 */
export function MailedLinkPage(props: MailedLinkPageProps) {
  const { eyebrow, heading, children, action, token, label } = props;
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="waiting" />
      <p className="eyebrow">{eyebrow}</p>
      <h1 className="page-heading">{heading}</h1>
      <p className="lead wrap-anywhere">{children}</p>
      <form method="post" action={action} className="mt-8">
        <input type="hidden" name="token" value={token} />
        <Button type="submit">{label}</Button>
      </form>
    </section>
  );
}
