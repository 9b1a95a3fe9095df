// How the bench comes by the cookies of those who are signed in.
import { randomUUID } from "node:crypto";
import { PASSWORD } from "./databases.mjs";

/**
 * A new account, signed in.
 *
 * @param {string} origin
 */
export async function signUp(origin) {
  const email = `${randomUUID()}@bench.test`;
  return { email, cookie: await authenticate(`${origin}/auth/signup`, email) };
}

/**
 * The cookies of a session of an account.
 *
 * @param {string} origin
 * @param {string} email
 */
export const logIn = (origin, email) => authenticate(`${origin}/auth/login`, email);

/**
 * @param {string} url
 * @param {string} email
 */
async function authenticate(url, email) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}.`);
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  // as if the page with the toast had been seen: it would be told again each time
  return cookies.filter((cookie) => !cookie.startsWith("flash=")).join("; ");
}
