import { Button, ButtonLink, PathDrawing } from "~/ui";

/** The unsubscribe link's page. A form, because mail scanners open links. */
export function UnsubscribePage({ token }: { token: string }) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <p className="eyebrow">Newsletter</p>
      <h1 className="page-heading">Leave the list?</h1>
      <p className="lead">
        No more letters will come to your address, and we forget it. You are welcome back whenever
        you like.
      </p>
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
export function UnsubscribedPage() {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="turned" />
      <p className="eyebrow">Newsletter</p>
      <h1 className="page-heading">You’ve been unsubscribed</h1>
      <p className="lead">No more letters will come to your address.</p>
    </section>
  );
}
