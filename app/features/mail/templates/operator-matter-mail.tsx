import { MailHeading, MailSmallPrint, MailText } from "../mail-elements";
import { CommandLines, OperatorNote } from "../operator-mail-parts";
import type { Mail } from "../render-mail";

type OperatorMatterMail = {
  /** The site's host, so that who runs several can tell them apart. */
  host: string;
  title: string;
  wrong: string;
  /** As the operator reads it, such as "November 23, 2026 at 15:40 UTC". */
  since: string;
  means: string;
  todo: string;
  /** Whole command lines. */
  commands: readonly string[];
};

/** Tells the operator that something needs a hand. It names nobody. */
export function operatorMatterMail(matter: OperatorMatterMail): Mail {
  const { host, title, wrong, since, means, todo, commands } = matter;
  return {
    subject: `${host}: ${title}`,
    preview: wrong,
    content: (
      <>
        <MailHeading>{title}</MailHeading>
        <MailText>
          {wrong} Noticed on {since}.
        </MailText>
        <MailText>{means}</MailText>
        <MailText>{todo}</MailText>
        <CommandLines commands={commands} />
      </>
    ),
    signature: null,
    notes: (
      <>
        <MailSmallPrint>
          You will be told once when it is over, and of the same thing at most once a day.
        </MailSmallPrint>
        <OperatorNote host={host} />
      </>
    ),
  };
}

/** Tells the operator that it is over. */
export function operatorClearedMail({
  host,
  title,
  mended,
  since,
  until,
}: {
  host: string;
  title: string;
  mended: string;
  since: string;
  until: string;
}): Mail {
  return {
    subject: `${host}: ${title}`,
    preview: mended,
    content: (
      <>
        <MailHeading>{title}</MailHeading>
        <MailText>{mended}</MailText>
        <MailText>
          It was noticed on {since} and is over since {until}. There is nothing you need to do.
        </MailText>
      </>
    ),
    signature: null,
    notes: <OperatorNote host={host} />,
  };
}
