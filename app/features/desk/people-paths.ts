import { DESK_PATH } from "./desk-paths";

/** The list of people. A person's page is named by an id and not by the address, since addresses of pages are logged. */
export const PEOPLE_PATH = `${DESK_PATH}/people`;
export const personPath = (key: string) => `${PEOPLE_PATH}/${key}`;

/** Where a list is uploaded, and the page of an uploaded one. */
export const IMPORT_PATH = `${PEOPLE_PATH}/import`;
export const listPath = (id: string) => `${IMPORT_PATH}/${id}`;

/** The largest list that may be uploaded; the command takes any. */
export const LIST_MEGABYTES = 20;

/** Why an author may stop the newsletter to an address, with labels. */
export const SUPPRESSIONS = [
  ["listed", "mail to it fails"],
  ["unsubscribed", "its owner unsubscribed"],
  ["complaint", "its owner complained"],
] as const;
