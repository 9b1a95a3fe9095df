import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { hashPassword } from "~/features/accounts/password.server";
import { resetPassword } from "~/features/accounts/password-reset.server";
import { createResetLink } from "~/features/accounts/password-reset-request.server";
import { logIn, signUp } from "~/features/accounts/sign-in.server";
import { loadAccountView } from "~/features/my-account/account-view.server";
import { changePassword } from "~/features/my-account/change-password.server";
import { getDatabase } from "~db/client";
import { findUserByEmail, insertUser } from "~db/queries/users";
import { users } from "~db/schema";
import { accountOf, NEW_BROWSER, newAddress } from "../support/accounts";
import { testSite } from "../support/site";

testSite();

const HERE = { clientAddress: undefined, session: null, userAgent: null };
const GOOD = "a long walk at dawn";

/** What the account page says of the password. */
async function isNoted(email: string): Promise<boolean> {
  const [user] = await getDatabase().db.select().from(users).where(eq(users.email, email));
  const view = await loadAccountView(user?.id ?? "", {} as never);
  return view.isPasswordGuessable;
}

describe("a password", () => {
  // openedx/openedx-platform#25545, scratchfoundation/scratch-www#3511, LemmyNet/lemmy-ui#211
  it.each([
    ["of six spaces", "      ", false],
    ["of three characters that browsers count as six", "🌄🌄🌄", false],
    ["of 30,000 characters", "walk".repeat(7_500), false],
    ["of 20,000 accents", `a${"\u0323\u0301".repeat(10_000)}`, false],
    ["with a null character", "walk\0walk", false],
    ["with half a character", "walk \ud83c", false],
    ["that is markup", "<b>'\"&%00", false],
    ["that is common", "123456", true],
    ["that is common, in capitals", "Password1", true],
    ["that is the 10,000th by frequency", "24081990", true],
    ["that is the 10,001st", "25021983", false],
  ])("%s is accepted, and opens the account", async (_what, password, noted) => {
    const email = newAddress();
    expect(await signUp({ email, password }, NEW_BROWSER)).toMatchObject({ kind: "signed-in" });
    expect(await logIn({ email, password }, NEW_BROWSER)).toMatchObject({ kind: "signed-in" });
    expect(await isNoted(email)).toBe(noted);
  });

  it.each([
    (email: string) => email,
    (email: string) => ` ${email.toUpperCase()}`,
    (email: string) => email.replace("xn--mnchen-3ya", "münchen"),
    (email: string) => email.split("@")[0] ?? "",
  ])("that is the address in a spelling, or its name, is noted: %s", async (passwordOf) => {
    const email = newAddress().replace("example.test", "xn--mnchen-3ya.example");
    await signUp({ email, password: passwordOf(email) }, NEW_BROWSER);
    expect(await isNoted(email)).toBe(true);
  });

  it("from before is noted at the next log-in, and no longer after a change", async () => {
    const email = newAddress();
    await insertUser({ email, passwordHash: await hashPassword("iloveyou") });
    expect(await isNoted(email)).toBe(false);
    const outcome = await logIn({ email, password: "iloveyou" }, NEW_BROWSER);
    if (outcome.kind !== "signed-in") throw new Error(outcome.kind);
    expect(await isNoted(email)).toBe(true);
    const account = await accountOf(outcome.session, email);
    const change = (password: string, newPassword: string) =>
      changePassword(account, { password, newPassword }, undefined);
    expect(await change("iloveyou", GOOD)).toEqual({ kind: "changed" });
    expect(await isNoted(email)).toBe(false);
    expect(await change(GOOD, "qwerty")).toEqual({ kind: "changed" });
    expect(await isNoted(email)).toBe(true);
    await choose(email, GOOD);
    expect(await isNoted(email)).toBe(false);
    await choose(email, "dragon");
    expect(await isNoted(email)).toBe(true);
    expect(await findUserByEmail(email)).toMatchObject({ isPasswordGuessable: true });
  });
});

/** Chooses a password by a link of the operator. */
async function choose(email: string, password: string): Promise<void> {
  await getDatabase().db.execute("truncate password_resets");
  const made = await createResetLink(email, "operator");
  const token = made.kind === "created" ? new URL(made.url).searchParams.get("token") : null;
  expect(await resetPassword({ token: token ?? "", password }, HERE)).toMatchObject({
    kind: "changed",
  });
}
