import { composeMail } from "../compose-mail";
import { MailFacts, MailHeading, MailLink, MailSmallPrint, MailText } from "../mail-elements";
import type { Mail } from "../render-mail";

type OperatorAlert = {
  /** The site's host, to tell several sites apart. */
  host: string;
  title: string;
  wrong: string;
  /** Formatted for the operator, such as "November 23, 2026 at 15:40 UTC". */
  since: string;
  means: string;
  todo: string;
  /** Whole command lines. */
  commands: readonly string[];
};

/** Sends the operator an alert. Contains no personal data. */
export function operatorAlertMail(alert: OperatorAlert): Mail {
  const { host, title, wrong, since, means, todo, commands } = alert;
  return composeMail({
    subject: `${host}: ${title}`,
    preview: wrong,
    heading: title,
    text: [
      `${wrong} Noticed on ${since}.`,
      means,
      todo,
      ...commands.map((command) => <code key={command}>{command}</code>),
    ],
    signature: null,
    notes: [
      "You get one email when this is resolved, and at most one a day about the same alert.",
      whyOperator(host),
    ],
  });
}

type ResolvedAlert = Pick<OperatorAlert, "host" | "title" | "since"> & {
  resolved: string;
  until: string;
};

/** Tells the operator that an alert is resolved. */
export function operatorResolvedMail({ host, title, resolved, since, until }: ResolvedAlert): Mail {
  return composeMail({
    subject: `${host}: ${title}`,
    preview: resolved,
    heading: title,
    text: [
      resolved,
      `It was noticed on ${since} and resolved on ${until}. You don’t need to do anything.`,
    ],
    signature: null,
    notes: [whyOperator(host)],
  });
}

/** Test mail that the operator requests on the command line, to check that alerts arrive. */
export function operatorTestMail({ host }: { host: string }): Mail {
  return composeMail({
    subject: `${host}: a test`,
    preview: "It arrived. Your site’s alerts will come here.",
    heading: "Your site can reach you",
    text: [
      `Alerts from ${host} will come here, and so will a monthly letter about how the site is doing.`,
    ],
    signature: null,
    notes: [whyOperator(host)],
  });
}

/** A section of the letter: a sentence, labeled values, or both. */
export type LetterSection = {
  title: string;
  facts: readonly { name: string; value: string }[];
  remark?: string;
};

type OperatorLetter = {
  host: string;
  /** Such as "October 2026". */
  month: string;
  /** The month, summarized in one sentence. */
  summary: string;
  sections: readonly LetterSection[];
};

/** The operator's monthly letter. Contains no personal data. */
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
    notes: <MailSmallPrint>{whyOperator(host)}</MailSmallPrint>,
  };
}

const whyOperator = (host: string) =>
  `You’re getting this because your address is the OPERATOR_EMAIL of ${host}. In a container, put ‘docker exec’ and its name before a command.`;

type AuthorNotice = {
  subject: string;
  /** What the site has already done, and what the author should do. */
  did: string;
  todo: string;
  /** The Stripe dashboard pages of the customer and of the payment. */
  customerUrl: string;
  paymentUrl: string | null;
  /** Null once the account is deleted. */
  subscriptionId: string | null;
  userId: string | null;
};

/** Tells the author about a refund or dispute. Contains no personal data, only ids to look up at Stripe. */
export function authorNoticeMail(notice: AuthorNotice): Mail {
  const { subject, did, todo, customerUrl, paymentUrl, subscriptionId, userId } = notice;
  return composeMail({
    subject,
    preview: todo,
    heading: subject,
    text: [did, todo],
    button: { label: "Open the customer at Stripe", href: customerUrl },
    notes: [
      paymentUrl && <MailLink href={paymentUrl}>The payment</MailLink>,
      subscriptionId && `Subscription ${subscriptionId}, user ${userId}.`,
    ],
  });
}

/** Tells every author that the account of one of them was changed in a way that a thief would need. */
export function authorAccountMail({
  change,
  url,
}: {
  change: "address" | "password";
  /** The URL to reset the password. */
  url: string;
}): Mail {
  const what =
    change === "address"
      ? "An author’s email address was changed"
      : "An author’s password was reset";
  return composeMail({
    subject: what,
    preview: "If none of you did it, somebody else may be at your desk.",
    heading: what,
    text: [
      `${what}. The desk asks that account for its password again.`,
      "If one of you did it, you don’t need to do anything. If not, take the account back now: choose a new password for it, and remove its address from AUTHOR_EMAIL until you have it back.",
    ],
    button: { label: "Choose a new password", href: url },
    notes: ["Every author of the site gets this email."],
  });
}

/** Test mail that the operator requests on the command line, to check that the site's mail arrives. */
export function testMail({ siteUrl }: { siteUrl: string }): Mail {
  return composeMail({
    subject: "A test of your site's mail",
    preview: "It arrived, and looks like the site's other mail.",
    heading: "Your site’s mail arrives",
    text: [
      <>
        This email was sent by <MailLink href={siteUrl}>your site</MailLink>, the same way as mail
        to readers. If it landed in spam, see what ‘mail doctor’ says about SPF, DKIM and DMARC.
      </>,
    ],
    notes: [
      "Someone who runs the site asked for this email with ‘mail test’. If it wasn’t you, they mistyped an address. You don’t need to do anything, and you won’t get another.",
    ],
  });
}
