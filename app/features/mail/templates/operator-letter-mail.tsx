import { MailFacts, MailHeading, MailText } from "../mail-elements";
import { OperatorNote } from "../operator-mail-parts";
import type { Mail } from "../render-mail";

/** A part of the letter: a sentence, facts by name, or both. */
export type LetterSection = {
  title: string;
  facts: readonly { name: string; value: string }[];
  remark?: string;
};

type OperatorLetter = {
  host: string;
  /** Such as "October 2026". */
  month: string;
  /** The month in a sentence. */
  summary: string;
  sections: readonly LetterSection[];
};

/** The monthly letter to the operator. It names nobody. */
export function operatorLetterMail({ host, month, summary, sections }: OperatorLetter): Mail {
  return {
    subject: `${host}: ${month}`,
    preview: summary,
    content: (
      <>
        <MailHeading>{`${month} at ${host}`}</MailHeading>
        <MailText>{summary}</MailText>
        {sections.map(({ title, facts, remark }) => (
          <div key={title}>
            <MailText>
              <strong>{title}</strong>
            </MailText>
            {facts.length > 0 && <MailFacts facts={facts} />}
            {remark && <MailText>{remark}</MailText>}
          </div>
        ))}
      </>
    ),
    signature: null,
    notes: <OperatorNote host={host} />,
  };
}

/** Shows the operator, who asked for it on the command line, that such mails arrive. */
export function operatorTestMail({ host }: { host: string }): Mail {
  return {
    subject: `${host}: a test`,
    preview: "It arrived: you will be told when something needs a hand.",
    content: (
      <>
        <MailHeading>Your site can reach you</MailHeading>
        <MailText>
          You will be told here when something at {host} needs a hand, and on the first day of each
          month how the site is doing.
        </MailText>
      </>
    ),
    signature: null,
    notes: <OperatorNote host={host} />,
  };
}
