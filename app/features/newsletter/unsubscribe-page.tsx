import { Button, ButtonLink, PathDrawing } from "~/ui";

type Link = { token: string; list: keyof typeof WORDS };

const WORDS = {
  newsletter: {
    eyebrow: "Newsletter",
    ends: "No more letters will come to your address, and we forget it.",
    ended: "No more letters will come to your address.",
  },
  "new-texts": {
    eyebrow: "New chapters",
    ends: "We won’t email you about new chapters any more. Your membership stays as it is.",
    ended: "We won’t email you about new chapters any more.",
  },
};

/** The page of an unsubscribe link. A form, because mail scanners open links. */
export function UnsubscribePage({ token, list }: Link) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <p className="eyebrow">{WORDS[list].eyebrow}</p>
      <h1 className="page-heading">Leave the list?</h1>
      <p className="lead">{WORDS[list].ends} You are welcome back whenever you like.</p>
      <form
        method="post"
        action="/newsletter/unsubscribe"
        className="mt-8 flex flex-wrap items-center gap-3"
      >
        <input type="hidden" name="token" value={token} />
        <Button type="submit">Unsubscribe</Button>
        <ButtonLink to="/" variant="secondary">
          Keep me on the list
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
      <p className="eyebrow">{WORDS[list].eyebrow}</p>
      <h1 className="page-heading">You’ve been unsubscribed</h1>
      <p className="lead">{WORDS[list].ended}</p>
    </section>
  );
}
