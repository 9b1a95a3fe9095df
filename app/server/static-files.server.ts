import { readdirSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, sep } from "node:path";
import { lookup, mimes } from "mrmime";
import send from "send";
import { currentSite } from "~/features/site/current-site.server";
import { acceptedEncoding } from "./accepted-encoding.server";
import { setCommonHeaders } from "./response-headers.server";

// the registered type, which the package leaves out (https://www.iana.org/assignments/media-types/image/vnd.microsoft.icon)
mimes.ico = "image/vnd.microsoft.icon";

const YEAR_MS = 31_536_000_000;
const DAY_MS = 86_400_000;

/** Copies that the build writes beside a file, by their encoding. */
const COPIES = { br: ".br", gzip: ".gz" } as const;
const ENCODINGS = ["br", "gzip"] as const;

/** The files of `public/`. Build output has hashed names, so browsers may cache it forever. */
export class StaticFiles {
  readonly #root: string;
  /** Request paths of the files and of their compressed copies. */
  readonly #files: ReadonlySet<string>;

  constructor(projectRoot: string) {
    this.#root = join(projectRoot, "public");
    const names = readdirSync(this.#root, { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => statSync(join(this.#root, name)).isFile());
    this.#files = new Set(files.map((name) => `/${name.split(sep).join("/")}`));
  }

  /** Answers the request if it is for one of the files; false otherwise. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || !this.#files.has(path) || /\/\.|\.(br|gz|map)$/.test(path)) return false;
    // the others are the sample's icons and pictures
    const isBuilt = path.startsWith("/build/");
    if (!isBuilt && !currentSite().isSample) return false;
    setCommonHeaders(response, { embeddable: !isBuilt });
    response.setHeader("Content-Type", lookup(path) ?? "application/octet-stream");
    send(request, this.#chooseCopy(request, response, path), {
      root: this.#root,
      index: false,
      maxAge: isBuilt ? YEAR_MS : DAY_MS,
      immutable: isBuilt,
    }).pipe(response);
    return true;
  }

  /** The path of the smallest copy that the client accepts, or of the file itself. */
  #chooseCopy(request: IncomingMessage, response: ServerResponse, path: string): string {
    const encodings = ENCODINGS.filter((encoding) => this.#files.has(path + COPIES[encoding]));
    if (encodings.length === 0) return path;
    response.setHeader("Vary", "Accept-Encoding");
    const encoding = acceptedEncoding(request, encodings);
    if (encoding === "identity") return path;
    response.setHeader("Content-Encoding", encoding);
    return path + COPIES[encoding];
  }
}
