import { DESK_PATH } from "../desk-paths";

export const LETTERS_PATH = `${DESK_PATH}/letters`;

/** The page of a draft; below it are its preview, its pictures and the page to send it. */
export const letterPath = (id: string) => `${LETTERS_PATH}/${id}`;

export const picturePath = (id: string, name: string) =>
  `${letterPath(id)}/pictures/${encodeURIComponent(name)}`;

/** The page of a letter that was sent. */
export const sentPath = (slug: string) => `${LETTERS_PATH}/sent/${slug}`;
