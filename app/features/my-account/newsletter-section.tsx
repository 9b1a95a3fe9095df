import { NewTextsForm } from "~/features/library/new-texts/new-texts-form";
import { Button } from "~/ui";
import { AccountSection } from "./account-section";

/** Whether the account's address is on the newsletter's list, or waits to be confirmed. */
export type NewsletterState = "none" | "unconfirmed" | "subscribed";

const TEXTS: Record<NewsletterState, string> = {
  none: "You don’t get the newsletter at this address.",
  unconfirmed: "One step left: please confirm your subscription with the link we sent you.",
  subscribed: "You get the newsletter at this address.",
};

type NewsletterSectionProps = {
  state: NewsletterState;
  /** Whether the account is mailed about new texts; null if that is not for it. */
  newTexts: boolean | null;
};

/** The forms that subscribe or unsubscribe the account's address: to the newsletter, and to mails about new texts. */
export function NewsletterSection({ state, newTexts }: NewsletterSectionProps) {
  const isOnList = state === "subscribed";
  return (
    <AccountSection id="newsletter" title="Newsletter">
      <p>{TEXTS[state]}</p>
      <form method="post" action="/account/newsletter">
        <input type="hidden" name="intent" value={isOnList ? "unsubscribe" : "subscribe"} />
        <Button type="submit" variant="secondary">
          {isOnList ? "Unsubscribe" : state === "none" ? "Subscribe" : "Send a new link"}
        </Button>
      </form>
      {newTexts !== null && <NewTextsForm isOn={newTexts} />}
    </AccountSection>
  );
}
