import { Readable } from "node:stream";
import { createReadableStreamFromReadable } from "@remix-run/node";
import { log } from "~/observability/log.server";

type DownloadedFile = {
  name: string;
  type: "text/csv" | "text/markdown" | "application/json" | "application/epub+zip";
};

/**
 * A response with a file for the browser, read in parts at the pace at which it is received. If a part fails, the download
 * ends as failed, so half a file is not mistaken for a whole one.
 */
export function downloadParts(
  { method }: Request,
  { name, type }: DownloadedFile,
  parts: AsyncIterable<string | Uint8Array>,
): Response {
  const headers = {
    "Content-Type": type === "application/epub+zip" ? type : `${type}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "private, no-store",
  };
  if (method === "HEAD") return new Response(null, { headers });
  return new Response(createReadableStreamFromReadable(Readable.from(parts)), { headers });
}

/** As `downloadParts`, with the text that `work` writes. */
export function downloadOf(
  request: Request,
  file: DownloadedFile,
  work: (write: (text: string) => Promise<void>) => Promise<void>,
): Response {
  const { readable, writable } = new TextEncoderStream();
  if (request.method !== "HEAD") {
    const writer = writable.getWriter();
    // ends with the file, or when its receiver has gone
    work((text) => writer.write(text))
      .then(() => writer.close())
      .catch(async (error: unknown) => {
        log().warn({ err: error, name: file.name }, "a download ended half-way");
        await writer.abort(error).catch(() => {});
      });
  }
  return downloadParts(request, file, readable);
}
