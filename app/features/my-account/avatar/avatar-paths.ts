/** Where pictures are served, each named by the hash of its content. */
const AVATARS_PATH = "/avatars";

const NAME = /^([0-9a-f]{64})\.webp$/;

/** Returns the path of a picture with this hexadecimal SHA-256. */
export function avatarPath(sha256: string): string {
  return `${AVATARS_PATH}/${sha256}.webp`;
}

/** Returns the hash in a picture's name; null for any other text. */
export function hashOfAvatarName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}
