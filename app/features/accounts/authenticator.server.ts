import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { env } from "~/env.server";
import { enqueueDispensableMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { accountWelcomeMail } from "~/features/mail/templates/account-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { type ClientNetworks, clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { db, type Transaction } from "~db/client";
import { isEmailReserved } from "~db/queries/email-changes";
import { findUserByEmail, insertUser, replacePasswordHash } from "~db/queries/users";
import { FORGOT_PASSWORD_PATH } from "./auth-paths";
import { firstProblem, logInSchema, signUpSchema } from "./credentials";
import { emailConfirmationUrl } from "./email-confirmation.server";
import { hashPassword, isGuessable, verifyPassword } from "./password.server";
import type { VerifiedUser } from "./sessions.server";

/**
 * An authenticated user; `passwordHash` is the hash that matched the password. An empty `identities` means the email
 * address is taken.
 */
export type AuthenticatedUser = VerifiedUser & {
  email: string;
  identities?: { provider: "email" }[];
};

/** Thrown for rejected credentials; the toast shows its message. */
export class CredentialsError extends Error {
  override name = "CredentialsError";
  constructor(
    message: string,
    /** The account's user id, for the log; null if the address is unknown or was not looked up. */
    readonly userId: string | null = null,
  ) {
    super(message);
  }
}

/** One message for unknown addresses and wrong passwords, so it does not reveal which addresses have accounts. */
export const WRONG_CREDENTIALS = "Invalid login credentials";

/** The remix-auth form strategies for log in and sign up, named by `Way`. */
const authenticator = new Authenticator<AuthenticatedUser>()
  .use(new FormStrategy(({ request }) => logIn(...sentIn(request))), "login")
  .use(new FormStrategy(({ request }) => signUp(...sentIn(request))), "signup");

/** Email and password as submitted: unvalidated, possibly repeated fields. */
export type SentCredentials = {
  email: FieldValue;
  password: FieldValue;
  /** Where the link in a new account's mail leads; null for nowhere. */
  leadsTo?: string | null;
};

/** How a user signs in with a password. */
export type Way = "login" | "signup";

/**
 * Logs in a user, or signs one up. Throws CredentialsError for rejected input, and QueueFull if the client's network
 * has too many passwords queued for hashing. Any other error is the server's fault.
 */
export async function authenticate(
  way: Way,
  fields: SentCredentials,
  clientAddress: string | undefined,
): Promise<AuthenticatedUser> {
  const strategy = authenticator.get(way);
  if (!strategy) throw new Error(`There is no strategy named ${way}.`);
  return strategy.authenticate(new CredentialsRequest(fields, clientAddress));
}

/**
 * A request that gives a strategy fields that are already parsed. remix-auth would copy a body, and remix-auth-form
 * would clone, encode and parse it again, which takes thirty times as long.
 */
class CredentialsRequest extends Request {
  constructor(
    readonly fields: SentCredentials,
    readonly clientAddress: string | undefined,
  ) {
    super(env().PUBLIC_URL);
  }

  override clone(): Request {
    return this;
  }

  override async formData(): Promise<FormData> {
    return new FormData();
  }
}

/** The fields of a strategy's request, and the network that it came from. */
function sentIn(request: Request): [SentCredentials, ClientNetworks] {
  if (!(request instanceof CredentialsRequest)) throw new Error("These are no credentials.");
  return [request.fields, clientNetworks(request.clientAddress)];
}

async function logIn(fields: SentCredentials, network: ClientNetworks): Promise<AuthenticatedUser> {
  const parsed = logInSchema.safeParse(fields);
  if (!parsed.success) throw new CredentialsError(firstProblem(parsed.error));
  const { email, password } = parsed.data;

  const user = await findUserByEmail(email);
  if (!(await verifyPassword(user?.passwordHash ?? null, password, network)) || !user) {
    throw new CredentialsError(WRONG_CREDENTIALS, user?.id);
  }
  const { id, passwordHash } = user;
  const isPasswordGuessable = await isGuessable(password, user.email);
  if (isPasswordGuessable !== user.isPasswordGuessable) {
    await replacePasswordHash(id, { from: passwordHash, to: passwordHash, isPasswordGuessable });
  }
  return { id, email: user.email, passwordHash, identities: [{ provider: "email" }] };
}

/** Signs up a user. A known address returns a user with empty `identities` (specification, 5). */
async function signUp(
  fields: SentCredentials,
  network: ClientNetworks,
): Promise<AuthenticatedUser> {
  const parsed = signUpSchema.safeParse(fields);
  if (!parsed.success) throw new CredentialsError(firstProblem(parsed.error));
  const { email, password } = parsed.data;

  const passwordHash = await hashPassword(password, network);
  const isPasswordGuessable = await isGuessable(password, email);
  const user = await insertAccount(
    { email, passwordHash, isPasswordGuessable },
    fields.leadsTo ?? null,
  );
  if (!user) return { id: "", email, passwordHash, identities: [] };
  wakeMailWorker();
  return { id: user.id, email: user.email, passwordHash, identities: [{ provider: "email" }] };
}

/**
 * Inserts an account and queues its welcome mail. Returns null and writes nothing if the address is taken or
 * reserved.
 */
async function insertAccount(account: Parameters<typeof insertUser>[0], leadsTo: string | null) {
  try {
    return await db().transaction(async (tx) => {
      const inserted = await insertUser(account, tx);
      if (!inserted) return null;
      // checked last, to see a change of address that has just been made
      const { email } = inserted;
      const owner = { exceptFor: null, now: new Date() };
      if (await isEmailReserved(email, owner, tx)) throw new AddressReserved();
      await enqueueAccountWelcome(inserted, leadsTo, tx);
      return inserted;
    });
  } catch (error) {
    if (error instanceof AddressReserved) return null;
    throw error;
  }
}

/** Another account recently had the address and can still get it back. */
class AddressReserved extends Error {}

/**
 * Queues the mail that welcomes a new account and asks to confirm its address, in the transaction that creates it.
 */
async function enqueueAccountWelcome(
  user: { id: string; email: string },
  leadsTo: string | null,
  tx: Transaction,
): Promise<void> {
  const { PUBLIC_URL } = env();
  await enqueueDispensableMail(async () => {
    const mail = accountWelcomeMail({
      previewUrl: `${PUBLIC_URL}/#preview`,
      confirmUrl: emailConfirmationUrl(user, leadsTo),
      forgotPasswordUrl: PUBLIC_URL + FORGOT_PASSWORD_PATH,
    });
    return { kind: "account-welcome", to: user.email, message: await renderMail(mail) };
  }, tx);
}
