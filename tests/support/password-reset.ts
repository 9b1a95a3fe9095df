import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { action as forgotPassword } from "~/routes/auth_.forgot-password/route";
import { action as logIn } from "~/routes/auth_.login/route";
import {
  action as resetPassword,
  loader as resetPasswordPage,
} from "~/routes/auth_.reset-password/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { getDatabase } from "~db/client";
import { linkIn, mailIdle } from "./mail";
import { runMailWorker } from "./mail-worker";
import { cookiesOf, get, post } from "./routes";
import { SESSION_SECRET } from "./session-secret";
import { openTestSite, type TestSite } from "./site";
import { startSmtpServer, type TestSmtpServer } from "./smtp";

export const OLD_PASSWORD = "open sesame";
export const NEW_PASSWORD = "a better one";

/** The page to which the 'forgot password' form redirects after success. */
export const SENT = "/auth/forgot-password?sent";

/** The toast for a link that is used, expired or forged. */
export const INVALID_LINK = {
  title: "Password reset failed",
  description: "This link has expired or was already used. Please request a new one.",
  variant: "destructive",
};

let smtp: TestSmtpServer;

/** Sets up a site whose mail goes to a real SMTP server for the tests of a file; call it at the top level. */
export function withMailedReaders(): void {
  let site: TestSite;
  let worker: MailWorker;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    site = await openTestSite({ variables: { SMTP_URL: smtp.url } });
  });
  afterAll(async () => {
    await site.close();
    await smtp.close();
  });
  beforeEach(async () => {
    sendMailThrough(smtp.url);
    await getDatabase().db.execute(sql`truncate mails`);
    worker = await runMailWorker();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await worker.stop(5_000);
    smtp.delivered.length = 0;
  });
}

/** Sets the mail server until the end of the test; to be called before the first mail. */
export function sendMailThrough(SMTP_URL: string): void {
  setEnvironment({
    SMTP_URL,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    SESSION_SECRET,
    LOG_LEVEL: "silent",
    RATE_LIMIT_FACTOR: "1000",
  });
}

/** All mail sent in this test, in order, except the welcome that every new account gets. */
export function delivered() {
  return smtp.delivered.filter(({ headers }) => headers.subject !== "Welcome to The Golden Path");
}

let count = 0;

/** Creates an account and a signed-in browser's cookie. */
export async function newReader() {
  const email = `forgetful-${++count}-${Date.now()}@example.test`;
  const response = await post(signUp, { form: { email, password: OLD_PASSWORD } });
  return { email, cookie: cookiesOf(response) };
}

/** Sends the 'forgot password' form. */
export function askForLink(email: string) {
  return post(forgotPassword, { path: "/auth/forgot-password", form: { email } });
}

/** The mails to this reader, in order, except the welcome. */
export function mailsTo(email: string) {
  return delivered().filter(({ recipients }) => recipients.includes(email.toLowerCase()));
}

/** The token of the newest link in a reader's mail. */
export async function tokenFor(email: string): Promise<string> {
  await askForLink(email);
  await mailIdle();
  const mail = mailsTo(email).at(-1);
  if (!mail) throw new Error("No mail arrived.");
  return linkIn(mail, "/auth/reset-password").searchParams.get("token") ?? "";
}

/** Sends the form of the page behind a link. */
export function choose(token: string, password = NEW_PASSWORD, cookie?: string) {
  return post(resetPassword, {
    path: "/auth/reset-password",
    form: { token, password },
    cookie,
  });
}

/** Opens the page behind a link. */
export const openLink = (token: string) =>
  get(resetPasswordPage, `/auth/reset-password?token=${encodeURIComponent(token)}`);

/** Whether the Login form accepts this password. */
export async function canLogIn(email: string, password: string): Promise<boolean> {
  const answer = await post(logIn, { json: { email, password } });
  return answer.status === 200;
}

/** Backdates a reader's password reset by this interval. */
export function age(email: string, interval: string) {
  return getDatabase().db.execute(
    sql`update password_resets
        set created_at = created_at - ${interval}::interval,
            expires_at = expires_at - ${interval}::interval,
            counted_since = counted_since - ${interval}::interval
        where user_id = (select id from users where email = ${email})`,
  );
}
