import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import { passkeyRemovedMail } from "~/features/mail/templates/passkey-removed-mail";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { getDatabase } from "~db/client";
import { countPasskeys, deletePasskey, renamePasskey } from "~db/queries/passkeys";
import { findEmailOfUser } from "~db/queries/users";
import { firstProblem } from "../credentials";
import { FORGOT_PASSWORD_PATH } from "../password-reset-paths";
import { passkeyNameSchema } from "./passkey-name";
import { PASSKEY_LIST_PATH } from "./passkey-paths";
import { credentialIdSchema } from "./relying-party.server";

const GONE = "This passkey does not exist any more.";

/** Whether a user has a passkey. Throws PostgreSQL's errors. */
export async function ownsPasskeys(userId: string): Promise<boolean> {
  return (await countPasskeys(userId)) > 0;
}

/** The outcome of renaming a passkey. */
export type RenamePasskeyOutcome =
  | { kind: "renamed" }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Gives a passkey of a user another name. Never throws. */
export async function nameUserPasskey(
  userId: string,
  { id, name }: { id: FieldValue; name: FieldValue },
): Promise<RenamePasskeyOutcome> {
  const parsedName = passkeyNameSchema.safeParse(name);
  if (!parsedName.success) return { kind: "rejected", message: firstProblem(parsedName.error) };
  const parsedId = credentialIdSchema.safeParse(id);
  if (!parsedId.success) return { kind: "rejected", message: GONE };
  try {
    const isRenamed = await renamePasskey({ userId, id: parsedId.data, name: parsedName.data });
    return isRenamed ? { kind: "renamed" } : { kind: "rejected", message: GONE };
  } catch (error) {
    log().error({ err: error, userId }, "a passkey could not be renamed");
    return { kind: "failed" };
  }
}

/** The outcome of removing a passkey; one that does not exist (any more) counts as removed. */
export type RemovePasskeyOutcome = { kind: "removed" } | { kind: "failed" };

/**
 * Removes a passkey of a user, and tells them by mail. Sessions that it opened go on. The caller has verified who
 * it is. Never throws.
 */
export async function removeUserPasskey(
  userId: string,
  id: FieldValue,
  clientAddress: string | undefined,
): Promise<RemovePasskeyOutcome> {
  const parsed = credentialIdSchema.safeParse(id);
  if (!parsed.success) return { kind: "failed" };
  try {
    const isRemoved = await getDatabase().db.transaction(async (tx) => {
      const name = await deletePasskey(userId, parsed.data, tx);
      if (name === null) return false;
      const to = await findEmailOfUser(userId, tx);
      const { PUBLIC_URL } = env();
      const mail = passkeyRemovedMail({
        name,
        listUrl: PUBLIC_URL + PASSKEY_LIST_PATH,
        resetUrl: PUBLIC_URL + FORGOT_PASSWORD_PATH,
      });
      if (to) {
        await enqueueMail({ kind: "passkey-removed", to, message: await renderMail(mail) }, tx);
      }
      return true;
    });
    if (isRemoved) {
      const { narrow: network } = clientNetworks(clientAddress);
      logSecurityEvent("passkey-removed", { userId, network }, "passkey removed");
      wakeMailWorker();
    }
    return { kind: "removed" };
  } catch (error) {
    log().error({ err: error, userId }, "a passkey could not be removed");
    return { kind: "failed" };
  }
}
