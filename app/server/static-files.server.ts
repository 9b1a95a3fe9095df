import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import sirv from "sirv";

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;

export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => void;

/**
 * The files of `public/`, read once at the start, each with the brotli and gzip copies that the build
 * laid beside it. Those of the build carry a hash in their names, so a browser may keep them for good.
 */
export function staticFiles(projectRoot: string): Handler {
  return sirv(join(projectRoot, "public"), {
    brotli: true,
    gzip: true,
    etag: true,
    dotfiles: false,
    setHeaders(response, path) {
      response.setHeader(
        "Cache-Control",
        path.startsWith("/build/")
          ? `public, max-age=${YEAR_SECONDS}, immutable`
          : `public, max-age=${DAY_SECONDS}`,
      );
    },
  }) as Handler;
}
