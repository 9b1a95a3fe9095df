import { createHash } from "node:crypto";
import type { Upload } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { deleteAvatar, findAvatarImage, upsertAvatar } from "~db/queries/avatars";
import { avatarPath, hashOfAvatarName } from "./avatar-paths";
import type { PictureRefusal } from "./picture-rules";
import { processPicture } from "./process-picture.server";

export type AvatarOutcome =
  | { kind: "changed" }
  | { kind: "refused"; reason: PictureRefusal }
  /** Too many pictures are being processed. */
  | { kind: "busy" }
  | { kind: "failed" };

/** Replaces an account's picture with an uploaded file. The caller limits the attempts. Never throws. */
export async function changeAvatar(
  userId: string,
  upload: Upload,
  clientAddress: string | undefined,
): Promise<AvatarOutcome> {
  if (upload.kind !== "file") return { kind: "refused", reason: upload.kind };
  if (upload.bytes.byteLength === 0) return { kind: "refused", reason: "missing" };
  try {
    const made = await processPicture(upload.bytes, clientAddress);
    if (made.kind !== "made") return made;
    const { small, large } = made;
    const smallSha256 = sha256(small);
    const avatar = { userId, small, smallSha256, large, largeSha256: sha256(large) };
    const isStored = await upsertAvatar(avatar, avatarPath(smallSha256));
    return { kind: isStored ? "changed" : "failed" };
  } catch (error) {
    log().error({ err: error, userId }, "a picture could not be changed");
    return { kind: "failed" };
  }
}

/** Removes an account's picture, if any. Never throws. */
export async function removeAvatar(userId: string): Promise<{ kind: "removed" | "failed" }> {
  try {
    await deleteAvatar(userId);
    return { kind: "removed" };
  } catch (error) {
    log().error({ err: error, userId }, "a picture could not be removed");
    return { kind: "failed" };
  }
}

/** Returns a picture and its hash by name; null if no account has it. Throws PostgreSQL's errors. */
export async function loadAvatar(
  name: string,
): Promise<{ sha256: string; content: Uint8Array<ArrayBuffer> } | null> {
  const hash = hashOfAvatarName(name);
  const content = hash && (await findAvatarImage(hash));
  return content ? { sha256: hash, content: new Uint8Array(content) } : null;
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
