import { Button } from "~/ui/button";
import { PathDrawing } from "~/ui/path-drawing";

/** The last step of double opt-in. A button, because mail scanners open links but submit no forms. */
export function ConfirmPage({ token }: { token: string }) {
  return (
    <section className="frame outcome-page">
      <PathDrawing shows="waiting" />
      <p className="eyebrow">Newsletter</p>
      <h1 className="page-heading">One step left</h1>
      <p className="lead">
        Press the button, and the next letter finds its way to you. You can leave the list at any
        time.
      </p>
      <form method="post" action="/newsletter/confirm" className="mt-8">
        <input type="hidden" name="token" value={token} />
        <Button type="submit">Confirm my email</Button>
      </form>
    </section>
  );
}
