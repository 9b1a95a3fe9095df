import { MailHeading, MailSmallPrint } from "~/features/mail/mail-elements";
import { MAIL_PROSE } from "~/features/mail/mail-prose";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import { accountWelcomeMail } from "~/features/mail/templates/account-welcome-mail";
import { authorNoticeMail } from "~/features/mail/templates/author-notice-mail";
import { membershipBegunMail } from "~/features/mail/templates/membership-begun-mail";
import { membershipCancelledMail } from "~/features/mail/templates/membership-cancelled-mail";
import { membershipEndedMail } from "~/features/mail/templates/membership-ended-mail";
import { membershipRefundedMail } from "~/features/mail/templates/membership-refunded-mail";
import { membershipRenewalFailedMail } from "~/features/mail/templates/membership-renewal-failed-mail";
import { newsletterConfirmationMail } from "~/features/mail/templates/newsletter-confirmation-mail";
import { newsletterWelcomeMail } from "~/features/mail/templates/newsletter-welcome-mail";
import { passwordChangedMail } from "~/features/mail/templates/password-changed-mail";
import { passwordResetMail } from "~/features/mail/templates/password-reset-mail";
import { signUpAttemptMail } from "~/features/mail/templates/sign-up-attempt-mail";

const SITE = "https://goldenpath.example";
/** As long as real ones are. */
const TOKEN = "6f1c0d1e-4b5a-4f0e-9a77-2f1b6f0f9d3c.Qm9vayBvZiB0aGUgcGF0aCwgc2lnbmVkIGhlcmU";
const FORGOT_PASSWORD = `${SITE}/auth/forgot-password`;
const MEMBERS_AREA = `${SITE}/premium`;
/** Asks to log in, and then shows what there is to manage. */
const MANAGE = `${SITE}/billing/card`;
const PRICE = { amount: "$9.99", period: "per month" };
const NEXT_MONTH = new Date("2026-12-22T09:00:00Z");

const list = {
  unsubscribeUrl: `${SITE}/newsletter/unsubscribe?token=${TOKEN}`,
  postalAddress: "Golden Path Press, 14 Lantern Lane, Burlington, Vermont 05401",
};

const authorNotice = {
  subject: "A payment is disputed",
  did: "A member's bank has asked for a payment back. The site has ended the member's access and paused the collection of further payments.",
  todo: "Answer the dispute at Stripe before its deadline, or accept it.",
  customerUrl: "https://dashboard.stripe.com/customers/cus_QZ8tP1mW3xYk2L",
  paymentUrl: "https://dashboard.stripe.com/payments/ch_3Q2wE4rT5yU6iO7p",
  subscriptionId: "sub_1Q2wE4rT5yU6iO7pA8sD9fG0",
  userId: "9d2c8a52-7f3e-4c1b-9a60-5b8e1d2f3a4c",
};

const { p: P, h2: H2, h3: H3, ul: Ul, ol: Ol, li: Li, a: A, blockquote: Quote } = MAIL_PROSE;
const { img: Image, hr: Rule, pre: Pre, code: Code, table: Table, th: Th, td: Td } = MAIL_PROSE;

/** A text with every element that an author's may have. */
const issue: Mail = {
  subject: "The hour before the day",
  preview: "A practice for dark mornings, and a question for the first walk of the month.",
  content: (
    <>
      <MailHeading>The hour before the day</MailHeading>
      <P>
        There is an hour in December that belongs to nobody. The kettle is not on, the dog has
        turned over once, and <em>nothing has been asked of you yet</em>.
      </P>
      <P>
        <Image
          src={`${SITE}/newsletter/images/9mC2kQv7TzYw1bXr4LpNfA.png`}
          alt="A path of light between dark hills, before sunrise"
          width={1200}
          height={630}
        />
      </P>
      <H2>This month’s practice</H2>
      <P>
        It takes ten minutes. You will find the long form in{" "}
        <A href={`${SITE}/#preview`}>the opening pages</A>, and two readers’ ways of doing it in{" "}
        <A href={MEMBERS_AREA}>the members’ area</A>.
      </P>
      <Ol>
        <Li>Sit where you can see a window.</Li>
        <Li>
          Write down <strong>three things</strong> you can see, and one you cannot.
        </Li>
      </Ol>
      <Quote>
        <P>You only ever see one stretch of it. That’s enough.</P>
      </Quote>
      <H3>What you may need</H3>
      <Ul>
        <Li>A pencil</Li>
        <Li>
          A page of <A href={`${SITE}/#about`}>the notebook</A>
        </Li>
      </Ul>
      <Table>
        <thead>
          <tr>
            <Th>Day</Th>
            <Th align="right">Minutes</Th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <Td>Monday</Td>
            <Td align="right">10</Td>
          </tr>
        </tbody>
      </Table>
      <Pre>
        <Code>06:10 kettle{"\n"}06:20 window</Code>
      </Pre>
      <Rule />
      <P>
        Write to me at <A href={SITE}>{SITE}</A> if you like. I answer by hand.
      </P>
    </>
  ),
  signature: "Maren",
  notes: (
    <MailSmallPrint>You get our letters because you asked for them at this address.</MailSmallPrint>
  ),
  list,
};

/** A sample of every mail, and of every variant of it, by name. */
export const MAIL_SAMPLES: Record<string, Mail> = {
  "newsletter-confirmation": newsletterConfirmationMail({
    url: `${SITE}/newsletter/confirm?token=${TOKEN}`,
  }),
  "newsletter-welcome": newsletterWelcomeMail({ previewUrl: `${SITE}/#preview`, list }),
  "newsletter-welcome-without-postal-address": newsletterWelcomeMail({
    previewUrl: `${SITE}/#preview`,
    list: { ...list, postalAddress: null },
  }),
  "newsletter-issue": issue,
  "account-welcome": accountWelcomeMail({
    previewUrl: `${SITE}/#preview`,
    forgotPasswordUrl: FORGOT_PASSWORD,
  }),
  "password-reset": passwordResetMail({ url: `${SITE}/auth/reset-password?token=${TOKEN}` }),
  "password-changed": passwordChangedMail({ url: FORGOT_PASSWORD }),
  "sign-up-attempt": signUpAttemptMail({ url: FORGOT_PASSWORD }),
  "membership-begun": membershipBegunMail({
    price: PRICE,
    renewsAt: NEXT_MONTH,
    url: MEMBERS_AREA,
  }),
  "membership-begun-at-unknown-price": membershipBegunMail({
    price: null,
    renewsAt: null,
    url: MEMBERS_AREA,
  }),
  "membership-renewal-failed": membershipRenewalFailedMail({
    amount: PRICE.amount,
    accessUntil: NEXT_MONTH,
    url: MANAGE,
  }),
  "membership-renewal-failed-without-access": membershipRenewalFailedMail({
    amount: null,
    accessUntil: null,
    url: MANAGE,
  }),
  "membership-cancelled": membershipCancelledMail({
    endsAt: NEXT_MONTH,
    outlook: "ends",
    url: MEMBERS_AREA,
  }),
  "membership-cancelled-far-ahead": membershipCancelledMail({
    endsAt: NEXT_MONTH,
    outlook: "renews-until",
    url: MEMBERS_AREA,
  }),
  "membership-cancelled-in-trouble": membershipCancelledMail({
    endsAt: NEXT_MONTH,
    outlook: "ends-in-trouble",
    url: MANAGE,
  }),
  "membership-ended": membershipEndedMail({ url: `${SITE}/#purchase` }),
  "membership-refunded": membershipRefundedMail({
    amount: PRICE.amount,
    outlook: { kind: "renews" },
    url: MANAGE,
  }),
  "membership-refunded-and-ending": membershipRefundedMail({
    amount: PRICE.amount,
    outlook: { kind: "ends", at: NEXT_MONTH },
    url: MANAGE,
  }),
  "membership-refunded-and-ended": membershipRefundedMail({
    amount: null,
    outlook: { kind: "ended" },
    url: MANAGE,
  }),
  "author-notice": authorNoticeMail(authorNotice),
  "author-notice-without-payment": authorNoticeMail({ ...authorNotice, paymentUrl: null }),
};

/** All samples, rendered. */
export async function renderSamples(): Promise<
  Record<string, Awaited<ReturnType<typeof renderMail>>>
> {
  const rendered = Object.entries(MAIL_SAMPLES).map(
    async ([name, mail]) => [name, await renderMail(mail)] as const,
  );
  return Object.fromEntries(await Promise.all(rendered));
}
