import type { ReactNode } from "react";
import {
  MailButton,
  MailButtonAddress,
  MailFacts,
  MailHeading,
  MailSmallPrint,
  MailText,
} from "./mail-elements";
import type { Mail } from "./render-mail";

/** The parts of the site's own mails. */
type Parts = Omit<Mail, "content" | "notes"> & {
  heading: string;
  /** Paragraphs; falsy ones are skipped. */
  text: ReactNode[];
  /** Below the text. */
  facts?: readonly { name: string; value: string }[];
  /** The call to action. `isWrittenOut` adds its URL in full, for clients without buttons. */
  button?: { label: string; href: string; isWrittenOut?: true };
  /** Lines of small print. */
  notes: ReactNode[];
};

/** Composes a mail from its parts, in the order shared by all mails. */
export function composeMail({ heading, text, facts = [], button, notes, ...mail }: Parts): Mail {
  return {
    ...mail,
    content: (
      <>
        <MailHeading>{heading}</MailHeading>
        {each(text, MailText)}
        {facts.length > 0 && <MailFacts facts={facts} />}
        {button && <MailButton href={button.href}>{button.label}</MailButton>}
      </>
    ),
    notes: (
      <>
        {each(notes, MailSmallPrint)}
        {button?.isWrittenOut && <MailButtonAddress href={button.href} />}
      </>
    ),
  };
}

function each(parts: ReactNode[], Element: typeof MailText | typeof MailSmallPrint): ReactNode[] {
  return parts.filter(Boolean).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rendered once
    <Element key={index}>{part}</Element>
  ));
}
