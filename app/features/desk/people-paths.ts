import { DESK_PATH } from "./desk-paths";

export const PEOPLE_PATH = `${DESK_PATH}/people`;

/** The page of a person, who is named by an id and not by the address, since addresses of pages are logged. */
export const personPath = (key: string) => `${PEOPLE_PATH}/${key}`;
export const personDeletionPath = (key: string) => `${personPath(key)}/delete`;
export const personDataPath = (key: string) => `${personPath(key)}/data.json`;

export const SUBSCRIBERS_CSV_PATH = `${PEOPLE_PATH}/subscribers.csv`;
export const MEMBERS_CSV_PATH = `${PEOPLE_PATH}/members.csv`;

export const IMPORT_PATH = `${PEOPLE_PATH}/import`;

/** The page of an uploaded list, and the file of the rows that are refused. */
export const listPath = (id: string) => `${IMPORT_PATH}/${id}`;
export const refusedRowsPath = (id: string) => `${listPath(id)}/refused.csv`;
