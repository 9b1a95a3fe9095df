import { eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { findKnownBrowser } from "~/features/accounts/known-browser.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import type { RootData } from "~/features/accounts/root-data";
import {
  createPodcastAddress,
  renewPodcastAddress,
} from "~/features/library/podcast-address.server";
import { composeEmailChange } from "~/features/my-account/change-email.server";
import { loader as accountPage } from "~/routes/account/route";
import { action as changeEmail } from "~/routes/account_.email/route";
import { action as confirmEmail } from "~/routes/account_.email_.confirm/route";
import { action as undoEmail } from "~/routes/account_.email_.undo/route";
import { action as passkeys } from "~/routes/account_.passkeys/route";
import { action as changePassword } from "~/routes/account_.password/route";
import { action as endSessions } from "~/routes/account_.sessions/route";
import { loader as verifyPage } from "~/routes/account_.verify/route";
import { action as logIn } from "~/routes/auth_.login/route";
import { action as passkeySignIn } from "~/routes/auth_.passkey/route";
import { action as resetPassword } from "~/routes/auth_.reset-password/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { cleanUp } from "~/server/clean-up.server";
import { loadRoot } from "~/shell/root-data.server";
import { getDatabase } from "~db/client";
import { findPodcastToken } from "~db/queries/podcast-feeds";
import {
  mails,
  passkeys as passkeyTable,
  podcastFeeds,
  sessions,
  usedChallenges,
  users,
} from "~db/schema";
import { everythingIn, watchLog } from "../support/log";
import { call, cookiesOf, flashOf, get, leadsTo, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";
import { type Forgery, SoftwareAuthenticator } from "../support/software-authenticator";

testSite();

const PASSWORD = "a long walk";
const PASSKEYS = "/account#passkeys";
const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

const db = () => getDatabase().db;

type Reader = { email: string; userId: string; cookie: string };

let count = 0;

async function newReader(): Promise<Reader> {
  const email = `keeper-${++count}@example.test`;
  const answer = await post(signUp, { form: { email, password: PASSWORD } });
  const [user] = await db().select({ id: users.id }).from(users).where(eq(users.email, email));
  return { email, userId: user?.id ?? "", cookie: cookiesOf(answer) };
}

type Answered = {
  status: number;
  error?: string;
  toast: { title: string; description?: string };
  redirectTo: string;
  cookie: string;
};

async function send(
  action: typeof passkeys,
  cookie: string,
  fields: Fields,
): Promise<Answered & Fields> {
  const request = new Request(`${ORIGIN}/`, {
    method: "POST",
    headers: { Cookie: cookie, "Content-Type": "application/json", "User-Agent": CHROME },
    body: JSON.stringify(fields),
  });
  const answer = await call(action, request);
  const body = (await answer.json().catch(() => ({}))) as Answered;
  return { ...body, status: answer.status, cookie: cookiesOf(answer) };
}

type Fields = Record<string, unknown>;
const toAccount = (cookie: string, fields: Fields) => send(passkeys, cookie, fields);
const toSignIn = (cookie: string, fields: Fields) => send(passkeySignIn, cookie, fields);
const tenTimes = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, act));
const join = (...cookies: string[]) => cookies.filter(Boolean).join("; ");

/** Requests the options of a new passkey; the challenge's cookie is kept for the response. */
async function askToRegister({ cookie }: Reader) {
  const asked = await toAccount(cookie, { intent: "register-options" });
  const { options, status } = asked;
  return { options: options as never, cookie: join(cookie, asked.cookie), status };
}

const newDevice = () => new SoftwareAuthenticator(ORIGIN);

function answerWith(
  device: SoftwareAuthenticator,
  { options, cookie }: Awaited<ReturnType<typeof askToRegister>>,
  forgery: Forgery = {},
) {
  const response = JSON.stringify(device.create(options, forgery));
  return toAccount(cookie, { intent: "register", response });
}

async function register(reader: Reader, device = newDevice(), forgery: Forgery = {}) {
  return { device, answer: await answerWith(device, await askToRegister(reader), forgery) };
}

async function newReaderWithPasskey(device?: SoftwareAuthenticator) {
  const reader = await newReader();
  const registered = await register(reader, device);
  expect(registered.answer.status).toBe(200);
  return { ...reader, device: registered.device };
}

async function askToSignIn() {
  const asked = await toSignIn("", { intent: "sign-in-options" });
  expect(asked.status).toBe(200);
  return { options: asked.options as never, cookie: asked.cookie };
}

async function signIn(device: SoftwareAuthenticator, forgery: Forgery = {}) {
  const { options, cookie } = await askToSignIn();
  const response = JSON.stringify(device.get(options, forgery));
  return toSignIn(cookie, { intent: "sign-in", response });
}

/** An authenticator's response, with altered parts. */
const altered = (genuine: { response: object }, part: object) =>
  JSON.stringify({ ...genuine, response: { ...genuine.response, ...part } });

async function viewerOf(cookie: string) {
  const request = new Request(ORIGIN, { headers: { Cookie: cookie } });
  const root = (await (await call(loadRoot as never, request)).json()) as RootData;
  return root.viewer;
}

const sessionsOf = (userId: string) =>
  db().select().from(sessions).where(eq(sessions.userId, userId));
const passkeysOf = (userId: string) =>
  db().select().from(passkeyTable).where(eq(passkeyTable.userId, userId));
const forgetVerification = (userId: string) =>
  db()
    .update(sessions)
    .set({ verifiedAt: sql`now() - interval '11 minutes'` })
    .where(eq(sessions.userId, userId));
const mailsOf = async (kind: string, recipient: string) =>
  (await db().select().from(mails).where(eq(mails.kind, kind))).filter(
    (mail) => mail.recipient === recipient,
  );

describe("adding a passkey", () => {
  it("names it after the browser, and reports it by mail and in the security log", async () => {
    const lines = watchLog();
    const reader = await newReader();
    const { answer, device } = await register(reader);
    expect(answer).toMatchObject({
      status: 200,
      toast: { title: "✅ Passkey added" },
      redirectTo: PASSKEYS,
    });
    expect(await passkeysOf(reader.userId)).toMatchObject([
      { id: device.id, name: "Chrome on Linux", transports: ["internal"], lastUsedAt: null },
    ]);
    const [mail] = await mailsOf("passkey-added", reader.email);
    expect(mail?.message?.text).toContain("Chrome on Linux");
    expect(mail?.message?.text).toContain(`${ORIGIN}/account#passkeys`);
    expect(lines.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ security: "passkey-added", userId: reader.userId }),
    );
    expect(everythingIn(lines)).not.toContain(device.id);
    expect(everythingIn(lines)).not.toContain(reader.email);
  });

  it("requires the password or a passkey of the last ten minutes", async () => {
    const reader = await newReader();
    await forgetVerification(reader.userId);
    for (const fields of [{ intent: "register-options" }, { intent: "register", response: "{}" }]) {
      expect(await toAccount(reader.cookie, fields)).toMatchObject({
        status: 403,
        redirectTo: "/account/verify?next=%2Faccount%3Fadd-passkey%23passkeys",
      });
    }
  });

  it.each<[string, Forgery]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another challenge", { challenge: "x".repeat(43) }],
    ["another site's id", { rpId: "evil.example" }],
    ["an answer to sign in", { type: "webauthn.get" }],
    ["no verified user", { isUserVerified: false }],
    // certificates can contain addresses, which the library may fetch
    ["an attestation with a certificate", { attestation: "by-certificate" }],
  ])("rejects %s", async (_what, forgery) => {
    const reader = await newReader();
    const { answer } = await register(reader, undefined, forgery);
    expect(answer).toMatchObject({
      status: 422,
      error: "The passkey couldn’t be added. Please try again.",
    });
    expect(await passkeysOf(reader.userId)).toEqual([]);
  });

  it("rejects a challenge of another session, of another purpose, and an expired one", async () => {
    const [reader, other] = [await newReader(), await newReader()];
    const device = new SoftwareAuthenticator(ORIGIN);
    const foreign = await toAccount(other.cookie, { intent: "register-options" });
    const response = JSON.stringify(device.create(foreign.options as never));
    const fields = { intent: "register", response };
    const late = {
      status: 422,
      error: "That took too long, or your browser blocks cookies. Please try again.",
    };
    expect(await toAccount(join(reader.cookie, foreign.cookie), fields)).toMatchObject(late);

    const signingIn = await askToSignIn();
    expect(await toAccount(join(reader.cookie, signingIn.cookie), fields)).toMatchObject(late);

    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 + 1_000 });
    expect(await toAccount(join(other.cookie, foreign.cookie), fields)).toMatchObject(late);
    expect(await passkeysOf(other.userId)).toEqual([]);
  });

  it("adds one passkey for ten simultaneous responses to one challenge, also after its removal", async () => {
    const reader = await newReader();
    const { options, cookie } = await askToRegister(reader);
    const response = JSON.stringify(new SoftwareAuthenticator(ORIGIN).create(options));
    const again = () => toAccount(cookie, { intent: "register", response });
    const answers = await tenTimes(again);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(422)]);
    expect(await passkeysOf(reader.userId)).toHaveLength(1);
    await db().delete(passkeyTable).where(eq(passkeyTable.userId, reader.userId));
    expect(await again()).toMatchObject({ status: 422 });
    expect(await passkeysOf(reader.userId)).toEqual([]);
  });

  it("stops at twenty, also for ten added at once", async () => {
    const reader = await newReader();
    await db().execute(sql`
      insert into passkeys (id, user_id, name, public_key, counter, transports)
      select 'made-up-' || n || ${reader.userId}::text, ${reader.userId}::uuid, 'Old', '', 0, '{}'
      from generate_series(1, 17) n`);
    const asked = await tenTimes(() => askToRegister(reader));
    const answers = await Promise.all(asked.map((each) => answerWith(newDevice(), each)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await passkeysOf(reader.userId)).toHaveLength(20);
    const more = await toAccount(reader.cookie, { intent: "register-options" });
    expect(more).toMatchObject({
      status: 422,
      error: "You already have 20 passkeys. Please remove one first.",
    });
  });

  it("rejects a credential that another account has", async () => {
    const owner = await newReaderWithPasskey();
    const { answer } = await register(await newReader(), owner.device);
    expect(answer).toMatchObject({ status: 422, error: "This passkey is already registered." });
    expect(await passkeysOf(owner.userId)).toHaveLength(1);
  });
});

describe("signing in with a passkey", () => {
  it("opens a session like a password, and records the method", async () => {
    const lines = watchLog();
    const { device, email, userId } = await newReaderWithPasskey();
    const answer = await signIn(device);
    expect(answer).toMatchObject({
      status: 200,
      toast: null,
      redirectTo: expect.stringMatching(/^\/auth\?signed-in=[0-9a-f]{64}$/),
    });
    expect((await viewerOf(answer.cookie))?.user.email).toBe(email);
    expect(answer.cookie).toContain("known-browser=");
    const opened = await sessionsOf(userId);
    expect(opened.map(({ verifiedBy }) => verifiedBy).sort()).toEqual(["passkey", "password"]);
    expect(opened.map(({ browser }) => browser)).toContain("Chrome");
    const [passkey] = await passkeysOf(userId);
    expect(passkey?.lastUsedAt).toBeInstanceOf(Date);
    expect(lines.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ security: "signed-in", userId, by: "passkey" }),
    );
  });

  it.each<[string, Forgery]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another challenge", { challenge: "x".repeat(43) }],
    ["another site's id", { rpId: "evil.example" }],
    ["an answer to add a passkey", { type: "webauthn.create" }],
    ["no verified user", { isUserVerified: false }],
    ["another user's handle", { userHandle: Buffer.alloc(16, 7).toString("base64url") }],
  ])("rejects %s, and records it in the security log", async (_what, forgery) => {
    const lines = watchLog();
    const { device, userId } = await newReaderWithPasskey();
    const answer = await signIn(device, forgery);
    expect(answer).toMatchObject({
      status: 401,
      toast: {
        title: "Sign in Failed",
        description: "Your passkey couldn’t be verified. Please try again.",
      },
    });
    expect(await viewerOf(answer.cookie)).toBeNull();
    expect(await sessionsOf(userId)).toHaveLength(1);
    expect(lines.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ security: "sign-in-failed", by: "passkey", userId }),
    );
  });

  it("rejects a signature of another key", async () => {
    const { device } = await newReaderWithPasskey();
    const { options, cookie } = await askToSignIn();
    const { signature } = new SoftwareAuthenticator(ORIGIN).get(options).response;
    const response = altered(device.get(options), { signature });
    expect(await toSignIn(cookie, { intent: "sign-in", response })).toMatchObject({ status: 401 });
  });

  it("rejects a counter that does not increase, as of a copied authenticator, and warns", async () => {
    const lines = watchLog();
    const { device, userId } = await newReaderWithPasskey();
    expect((await signIn(device, { counter: 9 })).status).toBe(200);
    for (const counter of [9, 3, 0]) {
      expect(await signIn(device, { counter })).toMatchObject({
        status: 401,
        error:
          "This passkey wasn’t accepted because it may have been copied. Please use your password.",
      });
    }
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "warn",
        facts: { security: "passkey-counter-replayed", userId },
      }),
    );
    expect((await signIn(device, { counter: 10 })).status).toBe(200);
  });

  it("opens one session for ten simultaneous uses of one response", async () => {
    const { device, userId } = await newReaderWithPasskey(
      new SoftwareAuthenticator(ORIGIN, { hasCounter: false }),
    );
    const { options, cookie } = await askToSignIn();
    const response = JSON.stringify(device.get(options));
    const answers = await tenTimes(() => toSignIn(cookie, { intent: "sign-in", response }));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    // and the session of the sign-up
    expect(await sessionsOf(userId)).toHaveLength(2);
  });

  it("rejects a response without a challenge, after five minutes, and to another purpose's challenge", async () => {
    const reader = await newReaderWithPasskey();
    const { options, cookie } = await askToSignIn();
    const response = JSON.stringify(reader.device.get(options));
    const late = {
      status: 401,
      error: "That took too long, or your browser blocks cookies. Please try again.",
    };
    expect(await toSignIn("", { intent: "sign-in", response })).toMatchObject(late);
    const verification = await toAccount(reader.cookie, { intent: "verify-options" });
    const fields = {
      intent: "sign-in",
      response: JSON.stringify(reader.device.get(verification.options as never)),
    };
    expect(await toSignIn(verification.cookie, fields)).toMatchObject(late);
    const forged = cookie.replace(/=(.{10})/, "=AAAAAAAAAA");
    expect(await toSignIn(forged, { intent: "sign-in", response })).toMatchObject(late);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 + 1_000 });
    expect(await toSignIn(cookie, { intent: "sign-in", response })).toMatchObject(late);
  });

  it("rejects a removed passkey, and that of a deleted account", async () => {
    const unknown = {
      status: 401,
      error: "We don’t recognize this passkey. It may have been removed.",
    };
    const reader = await newReaderWithPasskey();
    const removed = await toAccount(reader.cookie, { intent: "remove", passkey: reader.device.id });
    expect(removed).toMatchObject({ status: 200, toast: { title: "👋 Passkey removed" } });
    expect(await signIn(reader.device)).toMatchObject(unknown);
    const leaver = await newReaderWithPasskey();
    await db().delete(users).where(eq(users.id, leaver.userId));
    expect(await signIn(leaver.device)).toMatchObject(unknown);
  });

  it("answers malformed input of any kind and size with a message", async () => {
    const lines = watchLog();
    const { device } = await newReaderWithPasskey();
    const { options, cookie } = await askToSignIn();
    const genuine = device.get(options);
    const text = JSON.stringify(genuine);
    const withPart = (part: object) => altered(genuine, part);
    const rubbish: unknown[] = [
      undefined,
      "[]",
      "{",
      genuine,
      "x".repeat(60_000),
      JSON.stringify({ ...genuine, id: "x".repeat(15_000) }),
      JSON.stringify({ ...genuine, id: "\u0000" }),
      withPart({ clientDataJSON: Buffer.from("{}").toString("base64url") }),
      withPart({ authenticatorData: `${genuine.response.authenticatorData}AAAA` }),
      withPart({ signature: "" }),
      withPart({ userHandle: 5 }),
    ];
    for (const response of rubbish) {
      const answer = await toSignIn(cookie, { intent: "sign-in", response });
      const what = JSON.stringify(response)?.slice(0, 80);
      expect([what, answer.status]).toEqual([what, 401]);
      expect(answer.error).toMatch(
        /^(Your passkey couldn’t be verified|We don’t recognize this passkey)/,
      );
    }
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    expect((await toSignIn(cookie, { intent: "sign-in", response: text })).status).toBe(200);
  });

  it("answers a malformed new passkey with a message", async () => {
    const lines = watchLog();
    const reader = await newReader();
    const { options, cookie } = await askToRegister(reader);
    const genuine = new SoftwareAuthenticator(ORIGIN).create(options);
    const withPart = (part: object) => altered(genuine, part);
    // arrays nested as deep as the limit allows
    const nested = Buffer.alloc(11_000, 0x81).toString("base64url");
    for (const response of [
      undefined,
      "{}",
      withPart({ attestationObject: "" }),
      withPart({ attestationObject: nested }),
      withPart({ attestationObject: genuine.response.attestationObject.slice(0, 120) }),
      withPart({ transports: "usb" }),
      withPart({ clientDataJSON: "AAAA" }),
    ]) {
      expect(await toAccount(cookie, { intent: "register", response })).toMatchObject({
        status: 422,
        error: "The passkey couldn’t be added. Please try again.",
      });
    }
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    expect(await passkeysOf(reader.userId)).toEqual([]);
  });
});

describe("confirming an identity with a passkey", () => {
  async function confirm(reader: Reader, device: SoftwareAuthenticator) {
    const asked = await toAccount(reader.cookie, { intent: "verify-options" });
    const response = JSON.stringify(device.get(asked.options as never));
    return toAccount(join(reader.cookie, asked.cookie), { intent: "verify", response });
  }

  it("opens the sensitive steps for ten minutes, like the password", async () => {
    const reader = await newReaderWithPasskey();
    await forgetVerification(reader.userId);
    expect((await askToRegister(reader)).status).toBe(403);
    const page = await get(verifyPage, "/account/verify", reader.cookie);
    expect(await page.json()).toMatchObject({ hasPasskeys: true });
    const answer = await confirm(reader, reader.device);
    expect(answer).toMatchObject({ status: 200, toast: { title: "✅ Thank you" } });
    expect(await sessionsOf(reader.userId)).toMatchObject([{ verifiedBy: "passkey" }]);
    expect((await askToRegister(reader)).status).toBe(200);
  });

  it("rejects another account's passkey", async () => {
    const [reader, other] = [await newReaderWithPasskey(), await newReaderWithPasskey()];
    await forgetVerification(reader.userId);
    expect(await confirm(reader, other.device)).toMatchObject({ status: 422 });
    expect((await askToRegister(reader)).status).toBe(403);
  });
});

describe("an account's passkeys", () => {
  it("are renamed by a plain form, which trims the name", async () => {
    const reader = await newReaderWithPasskey();
    const form = { intent: "rename", passkey: reader.device.id, name: "  My key ring " };
    const answer = await post(passkeys, { form, cookie: reader.cookie });
    expect(answer.headers.get("Location")).toBe(PASSKEYS);
    expect((await flashOf(answer))?.toast?.title).toBe("Your passkey has a new name.");
    expect(await passkeysOf(reader.userId)).toMatchObject([{ name: "My key ring" }]);
  });

  it("keep their name if the new one is invalid", async () => {
    const reader = await newReaderWithPasskey();
    for (const [name, error] of [
      ["   ", "Please enter a name for the passkey."],
      ["x".repeat(61), "Please choose a name of at most 60 characters."],
      ["a\u0000b", "Please choose a name without control characters."],
      [["a", "b"], "Please enter a name for the passkey."],
    ]) {
      const fields = { intent: "rename", passkey: reader.device.id, name };
      expect(await toAccount(reader.cookie, fields)).toMatchObject({ status: 422, error });
    }
    expect(await passkeysOf(reader.userId)).toMatchObject([{ name: "Chrome on Linux" }]);
  });

  it("cannot be renamed or removed by others", async () => {
    const [owner, other] = [await newReaderWithPasskey(), await newReader()];
    const passkey = owner.device.id;
    await toAccount(other.cookie, { intent: "rename", passkey, name: "Mine" });
    await toAccount(other.cookie, { intent: "remove", passkey });
    expect(await passkeysOf(owner.userId)).toMatchObject([{ name: "Chrome on Linux" }]);
  });

  it("are removed only after a recent confirmation, once, with a mail", async () => {
    const reader = await newReaderWithPasskey();
    const form = { intent: "remove", passkey: reader.device.id };
    await forgetVerification(reader.userId);
    const refused = await post(passkeys, { form, cookie: reader.cookie });
    expect(refused.headers.get("Location")).toBe("/account/verify?next=%2Faccount%23passkeys");
    expect(await passkeysOf(reader.userId)).toHaveLength(1);

    const again = await post(logIn, { form: { email: reader.email, password: PASSWORD } });
    const answers = await tenTimes(() => post(passkeys, { form, cookie: cookiesOf(again) }));
    for (const { headers } of answers) expect(headers.get("Location")).toBe(PASSKEYS);
    expect(await passkeysOf(reader.userId)).toEqual([]);
    expect(await mailsOf("passkey-removed", reader.email)).toHaveLength(1);
  });

  it("leave no used challenges behind once these have expired", async () => {
    const { device } = await newReaderWithPasskey();
    expect((await signIn(device)).status).toBe(200);
    await cleanUp();
    expect(await db().$count(usedChallenges)).toBeGreaterThan(0);
    await cleanUp(new Date(Date.now() + 6 * 60_000));
    expect(await db().$count(usedChallenges)).toBe(0);
  });
});

describe("the passkeys of an account that a thief has moved to another address", () => {
  const days = (count: number) => sql`now() - make_interval(days => ${count})`;
  const addedAgo = (device: SoftwareAuthenticator, count: number) =>
    db()
      .update(passkeyTable)
      .set({ createdAt: days(count) })
      .where(eq(passkeyTable.id, device.id));

  /** Changes a reader's address, and returns the token mailed to the former one. */
  async function moveTo(email: string, { email: former, cookie }: Reader): Promise<string> {
    const form = { email, password: PASSWORD };
    expect((await post(changeEmail, { form, cookie })).status).toBe(303);
    const mail = await db().transaction((tx) => composeEmailChange(email, tx, null));
    const token = /confirm\?token=([\w-]+)/.exec(mail?.message.text ?? "")?.[1] ?? "";
    expect((await post(confirmEmail, { form: { token }, cookie })).status).toBe(303);
    const [sent] = await mailsOf("email-changed", former);
    return /undo\?token=([\w-]+)/.exec(sent?.message?.text ?? "")?.[1] ?? "";
  }

  it("are revoked when the owner takes it back, unless they are older than a week before", async () => {
    const reader = await newReaderWithPasskey();
    await addedAgo(reader.device, 8);
    const { device: before } = await register(reader);
    await addedAgo(before, 6);
    const token = await moveTo("thief-1@example.test", reader);
    const { device: since } = await register(reader);
    expect((await signIn(before)).status).toBe(200);

    const undone = await post(undoEmail, { form: { token } });
    expect((await flashOf(undone))?.toast).toMatchObject({
      title: "✅ Your account is yours again",
      description: expect.stringContaining("We removed"),
    });
    expect(await sessionsOf(reader.userId)).toEqual([]);
    for (const device of [before, since]) expect((await signIn(device)).status).toBe(401);
    const owners = await signIn(reader.device);
    expect(owners.status).toBe(200);
    expect((await viewerOf(owners.cookie))?.user.email).toBe(reader.email);
  });

  // [days before the change, or none if it was made since; whether it is left]
  it.each([
    [8, true],
    [6, false],
    [null, false],
  ])("and its podcast address, made %s days before, goes likewise", async (age, isLeft) => {
    const reader = await newReaderWithPasskey();
    const { userId } = reader;
    if (age !== null) await createPodcastAddress(userId);
    await db()
      .update(podcastFeeds)
      .set({ createdAt: days(age ?? 0) })
      .where(eq(podcastFeeds.userId, userId));
    const token = await moveTo(`thief-of-podcast-${age}@example.test`, reader);
    if (age === null) await createPodcastAddress(userId);
    await post(undoEmail, { form: { token } });
    expect(await findPodcastToken(userId)).toEqual(isLeft ? expect.any(String) : null);
  });

  it("counts an old podcast address that was renewed since as new", async () => {
    const reader = await newReaderWithPasskey();
    const { userId } = reader;
    await createPodcastAddress(userId);
    await db()
      .update(podcastFeeds)
      .set({ createdAt: days(30) })
      .where(eq(podcastFeeds.userId, userId));
    const token = await moveTo("thief-who-renews@example.test", reader);
    await renewPodcastAddress(userId);
    await post(undoEmail, { form: { token } });
    expect(await findPodcastToken(userId)).toBeNull();
  });
});

// KeeperHub/keeperhub#1530, onaio/onadata#1783, owncloud/core#25243
describe("what else opens an account with a new password", () => {
  const requestWith = (Cookie: string) => new Request(ORIGIN, { headers: { Cookie } });
  const account = async (cookie: string) =>
    (await (await get(accountPage, "/account", cookie)).json()).view;

  it.each([
    ["nothing", "/", async () => {}],
    ["a passkey", "/account#password", async (reader: Reader) => void (await register(reader))],
    [
      "a podcast address",
      "/account#password",
      ({ userId }: Reader) => createPodcastAddress(userId),
    ],
  ])("is shown after a reset if it is %s, and known browsers go", async (_what, path, add) => {
    const reader = await newReader();
    await add(reader);
    const known = requestWith(reader.cookie);
    expect(await findKnownBrowser(known, reader.email)).not.toBeNull();
    const token = await db().transaction((tx) => openPasswordReset(reader.userId, tx));
    const answer = await post(resetPassword, { form: { token, password: "a better one" } });
    expect(await leadsTo(answer)).toBe(path);
    expect(await findKnownBrowser(known, reader.email)).toBeNull();
    const here = requestWith(cookiesOf(answer));
    expect(await findKnownBrowser(here, reader.email)).not.toBeNull();
  });

  it("includes the podcast address, until its owner removes it", async () => {
    const { cookie, userId } = await newReader();
    await createPodcastAddress(userId);
    expect((await account(cookie)).podcastSince).toEqual(expect.any(String));
    const removed = await post(endSessions, { form: { intent: "remove-podcast" }, cookie });
    expect((await flashOf(removed))?.toast?.title).toBe("👋 Podcast address removed");
    expect((await account(cookie)).podcastSince).toBeNull();
    expect(await findPodcastToken(userId)).toBeNull();
  });

  it("leaves the browser known in which the owner changes the password", async () => {
    const { cookie, email } = await newReader();
    const form = { password: PASSWORD, newPassword: "a better one" };
    const answer = await post(changePassword, { form, cookie });
    expect(await findKnownBrowser(requestWith(cookie), email)).toBeNull();
    expect(await findKnownBrowser(requestWith(cookiesOf(answer)), email)).not.toBeNull();
  });
});
