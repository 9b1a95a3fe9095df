import { setEnvironment } from "~/env.server";
import { ALERTS } from "~/features/checks/alerts.server";
import { writeLetter, writeMonth } from "~/features/checks/letter";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import {
  accountDeletedMail,
  accountWelcomeMail,
  emailChangedMail,
  emailChangeMail,
  emailConfirmationMail,
  passwordChangedMail,
  passwordResetMail,
  signUpAttemptMail,
} from "~/features/mail/templates/account-mails";
import {
  cancellationDeclaredMail,
  cancellationReceivedMail,
} from "~/features/mail/templates/cancellation-mails";
import {
  membershipBegunMail,
  membershipCanceledMail,
  membershipEndedMail,
  membershipRefundedMail,
  membershipRenewalFailedMail,
  membershipTwiceMail,
} from "~/features/mail/templates/membership-mails";
import { newTextsMail } from "~/features/mail/templates/new-texts-mail";
import {
  newsletterConfirmationMail,
  newsletterWelcomeMail,
} from "~/features/mail/templates/newsletter-mails";
import {
  authorAccountMail,
  authorNoticeMail,
  operatorAlertMail,
  operatorLetterMail,
  operatorResolvedMail,
  operatorTestMail,
  testMail,
} from "~/features/mail/templates/operator-mails";
import { passkeyAddedMail, passkeyRemovedMail } from "~/features/mail/templates/passkey-mails";
import { splitFrontMatter } from "~/features/markdown/front-matter";
import { markdownTree } from "~/features/markdown/markdown-tree.server";
import { renderIssueMail } from "~/features/newsletter/issue-mail.server";
import { issueFrontMatter } from "~/features/newsletter/read-issue.server";
import type { MonthFigures } from "~/features/statistics/statistics";
import { FULL_ISSUE } from "./sample-issues.mjs";

type Rendered = Awaited<ReturnType<typeof renderMail>>;

const SITE = "https://goldenpath.example";
/** Tokens as long as real ones. */
const TOKEN = "6f1c0d1e-4b5a-4f0e-9a77-2f1b6f0f9d3c.Qm9vayBvZiB0aGUgcGF0aCwgc2lnbmVkIGhlcmU";
const FORGOT_PASSWORD = `${SITE}/auth/forgot-password`;
const PASSKEYS = `${SITE}/account#passkeys`;
const PASSKEY = { name: "Chrome on Linux", listUrl: PASSKEYS, resetUrl: FORGOT_PASSWORD };
const MEMBERS_AREA = `${SITE}/premium`;
/** The page on which a member updates the card, after logging in. */
const MANAGE = `${SITE}/billing/card`;
const PRICE = { amount: "$9.99", period: "per month" };
const NEXT_MONTH = new Date("2026-12-22T09:00:00Z");

const list = {
  unsubscribeUrl: `${SITE}/newsletter/unsubscribe?token=${TOKEN}`,
  postalAddress: "Golden Path Press, 14 Lantern Lane, Burlington, Vermont 05401",
};

const NEW_TEXTS = (["chapter", "extra"] as const).map((kind) => ({
  kind,
  label: kind === "chapter" ? "Chapter 13" : "Practice",
  title: kind === "chapter" ? "The Other Side of the Hill" : "One Drawer",
  summary: "What can be seen from up here, and what it asks of you.",
  language: "en",
  dir: "ltr" as const,
  url: `${SITE}/premium/${kind}s/a-text`,
}));

const authorNotice = {
  subject: "A payment is disputed",
  did: "A member's bank has asked for a payment back. The site has ended the member's access and paused the collection of further payments.",
  todo: "Answer the dispute at Stripe before its deadline, or accept it.",
  customerUrl: "https://dashboard.stripe.com/customers/cus_QZ8tP1mW3xYk2L",
  paymentUrl: "https://dashboard.stripe.com/payments/ch_3Q2wE4rT5yU6iO7p",
  subscriptionId: "sub_1Q2wE4rT5yU6iO7pA8sD9fG0",
  userId: "9d2c8a52-7f3e-4c1b-9a60-5b8e1d2f3a4c",
};

const begun = {
  seller: "Golden Path Press, 14 Lantern Lane, Burlington",
  url: MEMBERS_AREA,
  accountUrl: `${SITE}/account#membership`,
  cancellationUrl: null,
};

const cancellation = {
  receivedAt: "November 28, 2026 at 3:40:12 PM UTC",
  facts: [
    { name: "Kind", value: "ordinary" },
    { name: "Person", value: "Ada Example" },
    { name: "Contract", value: "Premium membership, The Golden Path" },
    { name: "Ends", value: "as early as possible" },
    { name: "Confirmation to", value: "reader@example.com" },
  ],
};

const LETTER_MONTH: MonthFigures = {
  month: "2026-10",
  members: { count: 1_204, joined: 61, returned: 4, left: 22, churn: 0.0189 },
  revenue: { usd: 1_202_796 },
  newsletter: { count: 8_410, joined: 318, left: 41 },
  accounts: { count: 2_950, joined: 140, left: 3 },
  visitors: 22_417,
  renewals: { failed: 19, recovered: 14 },
  disputes: { opened: 1, ended: 0 },
  mostRead: [{ slug: "the-first-light", title: "The First Light", members: 212 }],
};
const LETTER_SITE = {
  alerts: [{ title: "A payment is disputed", since: "October 28, 2026 at 09:12 UTC" }],
  backups:
    "The newest of 24 backups in BACKUP_DIR is of November 1, 2026 at 03:00 UTC and has 12.4 MB.",
  program: "The database has 212 MB and runs on PostgreSQL 18.1, the program on Node.js 24.11.0.",
};

/** An issue with every element, rendered as mail. */
async function renderIssue(): Promise<Rendered> {
  setEnvironment({ PUBLIC_URL: SITE, MAIL_POSTAL_ADDRESS: list.postalAddress });
  const split = splitFrontMatter(FULL_ISSUE, issueFrontMatter);
  if (split.kind === "rejected") throw new Error("The sample issue cannot be read.");
  const { slug, subject, preview } = split.frontMatter;
  const text = markdownTree(split.body, {
    base: SITE,
    imageAt: () => ({
      src: `${SITE}/newsletter/images/9mC2kQv7TzYw1bXr4LpNfA.png`,
      width: 1200,
      height: 630,
    }),
  });
  return renderIssueMail({ slug, subject, previewText: preview, text }, list.unsubscribeUrl);
}

/** A sample of every mail, and of every variant of it, by name. */
const MAIL_SAMPLES: Record<string, Mail> = {
  "newsletter-confirmation": newsletterConfirmationMail({
    url: `${SITE}/newsletter/confirm?token=${TOKEN}`,
  }),
  "newsletter-welcome": newsletterWelcomeMail({ previewUrl: `${SITE}/#preview`, list }),
  "newsletter-welcome-without-postal-address": newsletterWelcomeMail({
    previewUrl: `${SITE}/#preview`,
    list: { ...list, postalAddress: null },
  }),
  "new-texts": newTextsMail({ texts: NEW_TEXTS.slice(0, 1), list }),
  "new-texts-several": newTextsMail({ texts: NEW_TEXTS, list }),
  "account-welcome": accountWelcomeMail({
    previewUrl: `${SITE}/#preview`,
    confirmUrl: `${SITE}/auth/confirm-email?token=${TOKEN}`,
    forgotPasswordUrl: FORGOT_PASSWORD,
  }),
  "password-reset": passwordResetMail({ url: `${SITE}/auth/reset-password?token=${TOKEN}` }),
  "email-confirmation": emailConfirmationMail({
    url: `${SITE}/auth/confirm-email?token=${TOKEN}`,
    forgotPasswordUrl: FORGOT_PASSWORD,
  }),
  "email-change": emailChangeMail({ url: `${SITE}/account/email/confirm?token=${TOKEN}` }),
  "email-changed": emailChangedMail({ url: `${SITE}/account/email/undo?token=${TOKEN}` }),
  "account-deleted": accountDeletedMail({ membership: "nothing" }),
  "account-deleted-debit": accountDeletedMail({ membership: "debit" }),
  "account-deleted-anyway": accountDeletedMail({ membership: "subscription" }),
  "password-changed": passwordChangedMail({
    url: FORGOT_PASSWORD,
    by: "reset",
    passkeys: { count: 0, url: PASSKEYS },
  }),
  "password-changed-with-passkeys": passwordChangedMail({
    url: FORGOT_PASSWORD,
    by: "reset",
    passkeys: { count: 2, url: PASSKEYS },
  }),
  "password-changed-on-account-page": passwordChangedMail({
    url: FORGOT_PASSWORD,
    by: "change",
    passkeys: { count: 1, url: PASSKEYS },
  }),
  "passkey-added": passkeyAddedMail(PASSKEY),
  "passkey-removed": passkeyRemovedMail(PASSKEY),
  "sign-up-attempt": signUpAttemptMail({ url: FORGOT_PASSWORD }),
  "membership-begun": membershipBegunMail({
    ...begun,
    paid: PRICE.amount,
    renewal: { at: NEXT_MONTH, amount: PRICE.amount },
    period: PRICE.period,
  }),
  "membership-begun-with-coupon": membershipBegunMail({
    ...begun,
    paid: "$4.99",
    renewal: { at: NEXT_MONTH, amount: PRICE.amount },
    period: PRICE.period,
    cancellationUrl: `${SITE}/cancellation`,
  }),
  "membership-begun-at-unknown-price": membershipBegunMail({
    ...begun,
    paid: null,
    renewal: null,
    period: null,
  }),
  "cancellation-received": cancellationReceivedMail(cancellation),
  "cancellation-declared": cancellationDeclaredMail({
    ...cancellation,
    email: "reader@example.com",
  }),
  "membership-renewal-failed": membershipRenewalFailedMail({
    amount: PRICE.amount,
    accessUntil: NEXT_MONTH,
    confirmUrl: null,
    url: MANAGE,
  }),
  "membership-renewal-failed-without-access": membershipRenewalFailedMail({
    amount: null,
    accessUntil: null,
    confirmUrl: null,
    url: MANAGE,
  }),
  "membership-renewal-to-confirm": membershipRenewalFailedMail({
    amount: PRICE.amount,
    accessUntil: NEXT_MONTH,
    confirmUrl: "https://invoice.stripe.com/i/acct_1/live_2",
    url: MANAGE,
  }),
  "membership-canceled": membershipCanceledMail({
    endsAt: NEXT_MONTH,
    status: "ends",
    url: MEMBERS_AREA,
  }),
  "membership-canceled-far-ahead": membershipCanceledMail({
    endsAt: NEXT_MONTH,
    status: "renews-until",
    url: MEMBERS_AREA,
  }),
  "membership-canceled-with-problem": membershipCanceledMail({
    endsAt: NEXT_MONTH,
    status: "ends-with-problem",
    url: MANAGE,
  }),
  "membership-twice": membershipTwiceMail({ url: `${SITE}/billing/card` }),
  "membership-ended": membershipEndedMail({ url: `${SITE}/#purchase` }),
  "membership-refunded": membershipRefundedMail({
    amount: PRICE.amount,
    status: { kind: "renews" },
    url: MANAGE,
  }),
  "membership-refunded-and-ending": membershipRefundedMail({
    amount: PRICE.amount,
    status: { kind: "ends", at: NEXT_MONTH },
    url: MANAGE,
  }),
  "membership-refunded-and-ended": membershipRefundedMail({
    amount: null,
    status: { kind: "ended" },
    url: MANAGE,
  }),
  "operator-alert": operatorAlertMail({
    ...ALERTS["disk-low"].words({ setting: "DATA_DIR", percent: 7, freeMb: 1_412 }),
    host: "goldenpath.example",
    since: "November 23, 2026 at 15:40 UTC",
    commands: ["golden-path operator matters"],
  }),
  "operator-resolved": operatorResolvedMail({
    host: "goldenpath.example",
    title: "The disk has space again",
    resolved: "The disk of DATA_DIR has 31 % free (6,280 MB).",
    since: "November 23, 2026 at 15:40 UTC",
    until: "November 23, 2026 at 18:05 UTC",
  }),
  "operator-letter": operatorLetterMail({
    host: "goldenpath.example",
    month: writeMonth(LETTER_MONTH.month),
    ...writeLetter(LETTER_MONTH, { ...LETTER_MONTH, month: "2026-09" }, LETTER_SITE),
  }),
  "operator-test": operatorTestMail({ host: "goldenpath.example" }),
  "test-mail": testMail({ siteUrl: SITE }),
  "author-account-address": authorAccountMail({ change: "address", url: FORGOT_PASSWORD }),
  "author-account-password": authorAccountMail({ change: "password", url: FORGOT_PASSWORD }),
  "author-notice": authorNoticeMail(authorNotice),
  "author-notice-without-payment": authorNoticeMail({ ...authorNotice, paymentUrl: null }),
};

/** All samples, rendered, and a whole issue of the newsletter. */
export async function renderSamples(): Promise<Record<string, Rendered>> {
  const rendered = Object.entries(MAIL_SAMPLES).map(
    async ([name, mail]) => [name, await renderMail(mail)] as const,
  );
  return {
    ...Object.fromEntries(await Promise.all(rendered)),
    "newsletter-issue": await renderIssue(),
  };
}
