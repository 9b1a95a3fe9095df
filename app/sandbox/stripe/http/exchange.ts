import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../engine/api-error";

/** A request body exceeds the limit. */
export class BodyTooLarge extends Error {}

/**
 * Reads a body as text. Rejects with BodyTooLarge past `limit` bytes. Still reads and discards the rest, so the
 * client receives the response.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(new BodyTooLarge());
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.on("error", () => {
      const message = "Invalid request: its body broke off.";
      reject(new ApiError(400, { type: "invalid_request_error", message }));
    });
  });
}

/** Returns a request's path and query; `/` for an unreadable URL. */
export function pathAndQuery(request: IncomingMessage): { path: string; query: string } {
  const address = request.url ?? "/";
  const mark = address.indexOf("?");
  return mark === -1
    ? { path: address, query: "" }
    : { path: address.slice(0, mark), query: address.slice(mark + 1) };
}

/** Returns the media type of a request's body, without its parameters. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-cache, no-store",
    ...headers,
  });
  response.end(body);
}

/** Sends a page with a content security policy that blocks external resources and all scripts. */
export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    // 'no-referrer' would remove the Origin from the page's own forms
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(html);
}

/** Redirects the browser with a GET (303). */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, "Cache-Control": "no-store" });
  response.end();
}
