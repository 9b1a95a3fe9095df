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

/** What the site's own mails are made of. */
type Parts = Omit<Mail, "content" | "notes"> & {
  heading: string;
  /** Paragraphs; what is false or null is left out. */
  text: ReactNode[];
  /** Below the text. */
  facts?: readonly { name: string; value: string }[];
  /** What the mail asks its reader to do; written out too, for programs that show no buttons, if the mail is of no use without. */
  button?: { label: string; href: string; isWrittenOut?: true };
  /** Lines of small print. */
  notes: ReactNode[];
};

/** Composes a mail of its parts, in the order that all mails have. */
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
