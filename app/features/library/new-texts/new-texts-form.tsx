import { Button } from "~/ui";

type NewTextsFormProps = {
  isOn: boolean;
  /** The path to return to; by default the account page's. */
  redirectTo?: string;
};

/** The form that turns mails about new chapters and extras on or off. */
export function NewTextsForm({ isOn, redirectTo }: NewTextsFormProps) {
  return (
    <form method="post" action="/account/newsletter">
      <input type="hidden" name="intent" value={isOn ? "new-texts-off" : "new-texts-on"} />
      {redirectTo && <input type="hidden" name="redirectTo" value={redirectTo} />}
      <Button type="submit" variant="secondary">
        {isOn ? "Stop emails about new chapters" : "Email me about new chapters"}
      </Button>
    </form>
  );
}

/** After the last chapter: asks whether to be mailed about the next one. `path` is the chapter's. */
export function AskAboutNewTexts({ isOn, path }: { isOn: boolean; path: string }) {
  return (
    <aside id="new-texts" className="reading-column mt-12 text-center print:hidden">
      <p className="mb-4 text-ink-soft">
        {isOn
          ? "This is the last chapter so far. We email you when a new one is out."
          : "This is the last chapter so far."}
      </p>
      <NewTextsForm isOn={isOn} redirectTo={`${path}#new-texts`} />
    </aside>
  );
}
