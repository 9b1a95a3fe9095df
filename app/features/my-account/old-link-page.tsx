import { useAuth } from "~/features/accounts/auth-context";
import { FORGOT_PASSWORD_PATH, LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { leadingTo } from "~/features/accounts/destination";
import { Button, ButtonLink, PathDrawing } from "~/ui";
import { ACCOUNT_PATH, type OldLink, sectionPath } from "./account-paths";

/** What to do about a link that no longer works, and the button that does it. */
const LINKS: Readonly<Record<OldLink, { text: string; label: string; to?: string }>> = {
  confirmation: {
    text: "It was for the address your account had when we sent it. We can email you a new one.",
    label: "Send a new link",
  },
  change: {
    text: "Links work once, for a day. You can request a new one on your account page.",
    label: "Request a new link",
    to: sectionPath("email"),
  },
  undo: {
    text: "Links work once, for seven days. If you’ve used it, your account has its old address again, and you can choose a new password.",
    label: "Choose a new password",
    to: FORGOT_PASSWORD_PATH,
  },
  newsletter: {
    text: "Subscribe again, and we’ll email you a new one.",
    label: "Subscribe again",
    to: "/#newsletter",
  },
};

/** Returns the kind of link that a text names; null for any other text. */
export function findOldLink(text: string | null): OldLink | null {
  return (Object.keys(LINKS) as OldLink[]).find((link) => link === text) ?? null;
}

/** The page that a used or old link in a mail leads to. */
export function OldLinkPage({ link }: { link: OldLink }) {
  const { user } = useAuth();
  const { text, label, to } = LINKS[link];
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <h1 className="page-heading">This link no longer works</h1>
      <p className="lead">{text}</p>
      <div className="mt-8">
        {to ? (
          <ButtonLink to={to}>{label}</ButtonLink>
        ) : user ? (
          <form method="post" action="/account/confirmation">
            <Button type="submit">{label}</Button>
          </form>
        ) : (
          <ButtonLink to={leadingTo(LOG_IN_PATH, ACCOUNT_PATH)}>Log In</ButtonLink>
        )}
      </div>
    </section>
  );
}
