/** Where pictures are served, each under the hash of its content. */
const AVATARS_PATH = "/avatars";

const NAME = /^([0-9a-f]{64})\.webp$/;

/** The address of a picture with this SHA-256 hash, in hexadecimal. */
export function avatarPath(sha256: string): string {
  return `${AVATARS_PATH}/${sha256}.webp`;
}

/** The hash that a picture's name states; null for any other text. */
export function hashOfAvatarName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}
