import { z } from "zod";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { clientNetworks } from "~/http/client-network.server";
import type { FieldValue } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { db } from "~db/client";
import { countPasskeys, deletePasskey, renamePasskey } from "~db/queries/passkeys";
import { firstProblem } from "../credentials";
import { enqueuePasskeyNotice } from "./passkey-notice.server";
import { PASSKEY_NAME_MAX_LENGTH } from "./passkey-paths";
import { credentialIdSchema } from "./relying-party.server";

const GONE = "This passkey no longer exists.";

/** Returns whether a user has a passkey. Throws PostgreSQL's errors. */
export async function ownsPasskeys(userId: string): Promise<boolean> {
  return (await countPasskeys(userId)) > 0;
}

/** The outcome of renaming a passkey. */
export type RenamePasskeyOutcome =
  | { kind: "renamed" }
  | { kind: "rejected"; message: string }
  | { kind: "failed" };

/** Renames a user's passkey. Never throws. */
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

/** The outcome of removing a passkey. A passkey that does not exist counts as removed. */
export type RemovePasskeyOutcome = { kind: "removed" } | { kind: "failed" };

/**
 * Removes a user's passkey and notifies the owner by mail. Sessions opened with it continue. The caller has verified
 * the user's identity. Never throws.
 */
export async function removeUserPasskey(
  userId: string,
  id: FieldValue,
  clientAddress: string | undefined,
): Promise<RemovePasskeyOutcome> {
  const parsed = credentialIdSchema.safeParse(id);
  if (!parsed.success) return { kind: "failed" };
  try {
    const isRemoved = await db().transaction(async (tx) => {
      const name = await deletePasskey(userId, parsed.data, tx);
      if (name === null) return false;
      await enqueuePasskeyNotice({ userId, kind: "passkey-removed", name }, tx);
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

/** A passkey's name, trimmed. */
const passkeyNameSchema = z
  .string("Please enter a name for the passkey.")
  .trim()
  .min(1, "Please enter a name for the passkey.")
  .max(
    PASSKEY_NAME_MAX_LENGTH,
    `Please choose a name of at most ${PASSKEY_NAME_MAX_LENGTH} characters.`,
  )
  // PostgreSQL cannot store U+0000; names need no other control characters either
  .regex(/^\P{Cc}*$/u, "Please choose a name without control characters.");
