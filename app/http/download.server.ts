import { log } from "~/observability/log.server";

/**
 * A response whose text `work` writes, at the pace at which it is received; a file with this name for the browser. If the work
 * fails, the download ends as failed, so half a file is not mistaken for a whole one.
 */
export function downloadOf(
  { method }: Request,
  { name, type }: { name: string; type: "text/csv" | "application/json" },
  work: (write: (text: string) => Promise<void>) => Promise<void>,
): Response {
  const headers = {
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "private, no-store",
  };
  if (method === "HEAD") return new Response(null, { headers });
  const { readable, writable } = new TextEncoderStream();
  const writer = writable.getWriter();
  // ends with the file, or when its receiver has gone
  work((text) => writer.write(text))
    .then(() => writer.close())
    .catch(async (error: unknown) => {
      log().warn({ err: error, name }, "a download ended half-way");
      await writer.abort(error).catch(() => {});
    });
  return new Response(readable, { headers });
}
