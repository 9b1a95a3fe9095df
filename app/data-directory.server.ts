import { makeDataDirectory } from "~db/data-directory";
import { env } from "./env.server";
import { log } from "./observability/log.server";

/**
 * Creates DATA_DIR if it is missing, closes it to other users, and returns its path. Everything that is stored in
 * it gets the path from here. Throws the file system's error.
 */
export function dataDirectory(): string {
  const { DATA_DIR } = env();
  makeDataDirectory(DATA_DIR, (message) => log().warn(message));
  return DATA_DIR;
}
