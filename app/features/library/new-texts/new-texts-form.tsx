import { Button } from "~/ui";

/** The form that turns mails about new chapters and extras on or off; it returns to a path, by default the account's. */
export function NewTextsForm({ isOn, redirectTo = "" }: { isOn: boolean; redirectTo?: string }) {
  return (
    <form method="post" action="/account/newsletter" id="new-texts" className="print:hidden">
      <p className="mb-4 text-ink-soft">
        {isOn
          ? "You’ll get an email when a new chapter or extra is out."
          : "We can email you when a new chapter or extra is out."}
      </p>
      <input type="hidden" name="intent" value={isOn ? "new-texts-off" : "new-texts-on"} />
      <input type="hidden" name="redirectTo" value={redirectTo} />
      <Button type="submit" variant="secondary">
        {isOn ? "Stop these emails" : "Email me about new chapters"}
      </Button>
    </form>
  );
}
