import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import {
  forgetChallenge,
  newChallenge,
  readChallenge,
} from "~/features/accounts/passkeys/challenge-cookie.server";
import {
  nameUserPasskey,
  removeUserPasskey,
} from "~/features/accounts/passkeys/manage-passkeys.server";
import {
  verificationOptions,
  verifyWithPasskey,
} from "~/features/accounts/passkeys/passkey-sign-in.server";
import {
  registerPasskey,
  registrationOptions,
} from "~/features/accounts/passkeys/register-passkey.server";
import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import {
  ACCOUNT_PATH,
  ADD_PASSKEY,
  sectionPath,
  verifyPath,
} from "~/features/my-account/account-paths";
import {
  answerForm,
  answerRefusal,
  failForm,
  limitForm,
  type Refusal,
} from "~/http/form-answer.server";
import { type FormBody, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: ACCOUNT_PATH };

const redirectTo = sectionPath("passkeys");
const adding = redirectTo.replace("#", `?${ADD_PASSKEY}#`);

export const loader = () => redirect(redirectTo);

/** An account's form, and the request that it came in. */
type Sent = ActionFunctionArgs & {
  form: FormBody;
  account: Awaited<ReturnType<typeof requireAccount>>;
};

const failure = (message?: string) => ({ toast: toasts.accountFailed(message), redirectTo });

/**
 * Renames and removes passkeys by plain forms. Adds one, and verifies the user by one, in two steps with JSON: options
 * with a challenge, then the response to it.
 */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request);
  const sent: Sent = { ...args, form, account: await requireAccount(args) };
  const run = INTENTS.get(String(form.fields.intent));
  return run ? run(sent) : failForm(form, 422, failure());
}

const INTENTS = new Map<string, (sent: Sent) => Promise<Response>>([
  ["rename", rename],
  ["remove", remove],
  ["register-options", makeRegistrationOptions],
  ["register", register],
  ["verify-options", makeVerificationOptions],
  ["verify", verify],
]);

async function rename({ form, context, account: { userId } }: Sent) {
  const { passkey: id, name } = form.fields;
  const outcome = await nameUserPasskey(userId, { id, name });
  if (outcome.kind !== "renamed") return answerRefusal(form, outcome, failure, { context });
  return answerForm(form, { toast: toasts.passkeyRenamed, redirectTo });
}

async function remove(sent: Sent) {
  const { form, account, context } = sent;
  if (!isRecentlyVerified(account.session)) return rejectUnverified(sent);
  const limited = await limitChange(sent);
  if (limited) return limited;
  const { kind } = await removeUserPasskey(
    account.userId,
    form.fields.passkey,
    context.clientAddress,
  );
  return kind === "removed"
    ? answerForm(form, { toast: toasts.passkeyRemoved, redirectTo })
    : failForm(form, 422, failure());
}

async function makeRegistrationOptions(sent: Sent) {
  const { account } = sent;
  if (!isRecentlyVerified(account.session)) return rejectUnverified(sent, adding);
  const { userId, viewer } = account;
  const { challenge, setCookie } = await newChallenge("registration", account.session.id);
  const outcome = await registrationOptions(
    { userId, email: viewer.user.readableEmail },
    challenge,
  );
  return answerOptions(sent, outcome, setCookie);
}

async function register(sent: Sent) {
  const { form, account, context, request } = sent;
  // challenges are issued only to verified sessions, and a ceremony may outlast the verification
  const challenge = await openChallenge(sent, "registration");
  if (!challenge && !isRecentlyVerified(account.session)) return rejectUnverified(sent, adding);
  const limited = await limitChange(sent);
  if (limited) return limited;
  const outcome = await registerPasskey(
    account.userId,
    { sent: form.fields.response, challenge },
    { clientAddress: context.clientAddress, userAgent: request.headers.get("User-Agent") },
  );
  if (outcome.kind !== "added") return answerRefusal(form, outcome, failure, { context });
  const headers = new Headers({ "Set-Cookie": await forgetChallenge() });
  return answerForm(form, { toast: toasts.passkeyAdded, redirectTo, headers });
}

async function makeVerificationOptions(sent: Sent) {
  const { account } = sent;
  const { challenge, setCookie } = await newChallenge("verification", account.session.id);
  return answerOptions(sent, await verificationOptions(account.userId, challenge), setCookie);
}

async function verify(sent: Sent) {
  const { form, account, context } = sent;
  const attempt = { form, context, account: account.userId };
  const limited = await limitForm("verify-identity", attempt, failure);
  if (limited) return limited;
  const outcome = await verifyWithPasskey(
    account,
    { sent: form.fields.response, challenge: await openChallenge(sent, "verification") },
    context.clientAddress,
  );
  if (outcome.kind !== "verified") return answerRefusal(form, outcome, failure, { context });
  const headers = new Headers({ "Set-Cookie": await forgetChallenge() });
  return answerForm(form, { toast: toasts.identityVerified, redirectTo, headers });
}

function answerOptions(
  sent: Sent,
  outcome: { kind: "options"; options: unknown } | Refusal,
  setCookie: string,
) {
  if (outcome.kind !== "options")
    return answerRefusal(sent.form, outcome, failure, { context: sent.context });
  const headers = new Headers({ "Set-Cookie": setCookie });
  const body = { options: outcome.options, unused: toasts.passkeyUnused };
  return answerForm(sent.form, { toast: null, redirectTo, headers, body });
}

/** The response to a user who has to verify their identity first, and then goes on at `next`. */
function rejectUnverified({ form }: Sent, next = redirectTo) {
  const toast = toasts.verificationRequired;
  return failForm(form, 403, { toast, redirectTo: verifyPath(next) });
}

function limitChange({ form, context, account }: Sent) {
  return limitForm("passkey-change", { form, context, account: account.userId }, failure);
}

function openChallenge({ request, account }: Sent, of: "registration" | "verification") {
  return readChallenge(request.headers.get("Cookie"), of, account.session.id);
}
