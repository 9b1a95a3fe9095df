import { makeDataDirectory } from "~db/data-directory";
import { env } from "./env.server";
import { log } from "./observability/log.server";

/**
 * DATA_DIR, made if it is missing and closed to other users; whatever is kept there asks here for its
 * place. Throws what the file system says when it cannot be made.
 */
export function dataDirectory(): string {
  const { DATA_DIR } = env();
  makeDataDirectory(DATA_DIR, (message) => log().warn(message));
  return DATA_DIR;
}
