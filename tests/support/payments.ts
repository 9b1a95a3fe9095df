import { openSession } from "~/features/accounts/sessions.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { findProfile } from "~db/queries/profiles";
import { insertUser } from "~db/queries/users";
import { ORIGIN } from "./routes";

/** Somebody signed in: who they are and the cookie their browser sends. */
export type Reader = { id: string; email: string; cookie: string };

let count = 0;

/** A new account with an open session. */
export async function newReader(): Promise<Reader> {
  const email = `reader-${process.pid}-${Date.now()}-${++count}@example.test`;
  const user = await insertUser({ email, passwordHash: "not a hash" });
  if (!user) throw new Error("The address is taken.");
  const setCookie = await openSession(new Request(ORIGIN), user);
  if (!setCookie) throw new Error("The session was not opened.");
  return { id: user.id, email, cookie: setCookie.split(";")[0] ?? "" };
}

/** Plays the sandbox's side: its control API, by path and fields. */
export async function control<Answer = Record<string, unknown>>(
  sandboxOrigin: string,
  path: string,
  fields?: Record<string, unknown>,
  method = "POST",
): Promise<Answer> {
  const response = await fetch(`${sandboxOrigin}/_control/${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: method === "POST" ? JSON.stringify(fields ?? {}) : undefined,
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer as Answer;
}

/** The only subscription of a reader at the sandbox that is not over. */
export async function liveSubscription(reader: Reader): Promise<string> {
  const profile = await findProfile(reader.id);
  const { data } = await stripeClient().subscriptions.list({
    customer: profile?.stripeCustomerId ?? "",
  });
  if (data.length !== 1 || !data[0]) throw new Error(`${data.length} subscriptions are live.`);
  return data[0].id;
}
