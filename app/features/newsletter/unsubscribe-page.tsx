import { Button, ButtonLink, PathDrawing } from "~/ui";

type Link = { token: string; list: keyof typeof WORDS };

const WORDS = {
  newsletter: [
    "Newsletter",
    "You won’t get any more letters, and we’ll delete your address from the list.",
  ],
  "new-texts": ["New chapters", "We’ll stop emailing you about new chapters."],
} as const;

/** The page of an unsubscribe link. A form, because mail scanners open links. */
export function UnsubscribePage({ token, list }: Link) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <p className="eyebrow">{WORDS[list][0]}</p>
      <h1 className="page-heading">Unsubscribe?</h1>
      <p className="lead">{WORDS[list][1]} You can subscribe again anytime.</p>
      <form
        method="post"
        action="/newsletter/unsubscribe"
        className="mt-8 flex flex-wrap items-center gap-3"
      >
        <input type="hidden" name="token" value={token} />
        <Button type="submit">Unsubscribe</Button>
        <ButtonLink to="/" variant="secondary">
          Stay subscribed
        </ButtonLink>
      </form>
    </section>
  );
}

/** Shown after a mail client's own unsubscribe button, which posts to the same URL (RFC 8058). */
export function UnsubscribedPage({ list }: Link) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <p className="eyebrow">{WORDS[list][0]}</p>
      <h1 className="page-heading">You’ve been unsubscribed</h1>
      <p className="lead">{WORDS[list][1]}</p>
    </section>
  );
}
