/** The account page. */
export const ACCOUNT_PATH = "/account";

/** The account page's sections, as links and forms name them. */
export type AccountSectionId =
  | "membership"
  | "picture"
  | "email"
  | "password"
  | "passkeys"
  | "podcast"
  | "sessions"
  | "newsletter"
  | "data"
  | "delete";

/** Returns the path of an account page section, to which its forms return. */
export function sectionPath(section: AccountSectionId): string {
  return `${ACCOUNT_PATH}#${section}`;
}

/** The parameter with which the account page goes on to add a passkey, after the password was entered for that. */
export const ADD_PASSKEY = "add-passkey";

/** The pages whose links confirm a new address and undo a change of address. */
export const CONFIRM_EMAIL_CHANGE_PATH = "/account/email/confirm";
export const UNDO_EMAIL_CHANGE_PATH = "/account/email/undo";

export function confirmEmailChangePath(token: string): string {
  return `${CONFIRM_EMAIL_CHANGE_PATH}?token=${token}`;
}

export function undoEmailChangePath(token: string): string {
  return `${UNDO_EMAIL_CHANGE_PATH}?token=${token}`;
}

/** The second step of deleting the account. */
export const DELETE_PATH = "/account/delete";

/** The file with all data held about the account. */
export const ACCOUNT_DATA_PATH = `${ACCOUNT_PATH}/data.json`;

/** Where the password is asked for again before a sensitive step. */
export const VERIFY_PATH = "/account/verify";

/** Returns the path of the page that asks for the password again, then leads to `next`. */
export function verifyPath(next: string): string {
  return `${VERIFY_PATH}?next=${encodeURIComponent(next)}`;
}

/** The mailed links that can be used up or too old; a reset's leads to its own form. */
export type OldLink = "confirmation" | "change" | "undo" | "newsletter";

/** Returns the path of the page that says what to do with such a link. */
export function oldLinkPath(link: OldLink): string {
  return `/auth/old-link?of=${link}`;
}
