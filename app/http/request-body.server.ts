import type { AppLoadContext } from "@remix-run/node";
import { clientNetworks } from "./client-network.server";
import { ReceivingMemory } from "./receiving-memory.server";

/** Largest body of a form, in bytes. */
export const FORM_LIMIT = 64 * 1024;

/** Most memory that bodies may take while they are being received, of all requests together, in bytes. */
const RECEIVING_LIMIT = 64 * 1024 * 1024;

/**
 * Most fields of a form. The largest of the site's has five; a body may hold thousands of them, and each
 * costs its parser as much as a page of text.
 */
const MAX_FIELDS = 100;

/** Most pieces a body may come in: a packet each, or a chunk. A thousand packets hold more than we read. */
const MAX_PIECES = 2_000;

const receivingMemory = new ReceivingMemory(RECEIVING_LIMIT);

/** A field's value: a string, all values of a repeated name, or "file" content nobody asked for. */
export type FieldValue = string | string[] | undefined;

export type FormBody = {
  fields: Record<string, FieldValue>;
  /** A JSON body is answered with JSON, a form body with a redirect. */
  wantsJson: boolean;
};

/**
 * Reads a body as text. Throws a 413 Response once `limit` bytes are passed, whatever Content-Length
 * said, a 503 Response when its network takes most of what may be received at one time, and a 400 Response
 * when the client goes away half-way or its body comes in crumbs.
 */
export async function readText(
  request: Request,
  limit: number,
  context?: AppLoadContext,
): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, limit, context));
}

async function readBytes(
  request: Request,
  limit: number,
  context: AppLoadContext = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("Content-Length") ?? 0) > limit) throw tooLarge(limit);
  const reader = request.body?.getReader();
  const stopReading = () => void reader?.cancel().catch(() => {});
  let isDropped = false;
  const memory = receivingMemory.begin(clientNetworks(context.clientAddress), () => {
    isDropped = true;
    stopReading();
  });
  let bytes = new Uint8Array(0);
  let size = 0;
  let pieces = 0;
  try {
    while (reader) {
      const { done, value } = await reader.read().catch(() => {
        throw refusal(400, "The request ended before its body was complete.");
      });
      if (isDropped) throw tooBusy();
      if (done) break;
      pieces += 1;
      if (pieces > MAX_PIECES) throw refusal(400, "The body comes in too many pieces.");
      const end = size + value.byteLength;
      if (end > limit) throw tooLarge(limit);
      // copied, since each of many small pieces may keep a large buffer that it came in
      if (end > bytes.byteLength) {
        const larger = new Uint8Array(Math.min(limit, Math.max(end, 2 * bytes.byteLength)));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
        memory.resize(bytes.byteLength);
      }
      bytes.set(value, size);
      size = end;
    }
    return bytes.subarray(0, size);
  } catch (refused) {
    stopReading();
    throw refused;
  } finally {
    memory.end();
  }
}

/**
 * Reads the posted fields of a form (urlencoded or multipart) or of a flat JSON object. Throws a
 * Response: 405 for another method than POST, 415 for another content type, 413 past 64 KB, 400 for a
 * body that does not parse or has more than 100 fields, 503 when its network sends too much at one time. A
 * repeated field becomes an array, which no field's schema accepts.
 */
export async function readForm(request: Request, context?: AppLoadContext): Promise<FormBody> {
  if (request.method !== "POST") {
    throw refusal(405, `${request.method} is not possible here; POST is.`, { Allow: "POST" });
  }
  const contentType = request.headers.get("Content-Type") ?? "";
  const mediaType = contentType.split(";")[0]?.trim().toLowerCase();
  const bytes = await readBytes(request, FORM_LIMIT, context);

  switch (mediaType) {
    case "application/json":
      return { fields: parseJson(bytes), wantsJson: true };
    case "application/x-www-form-urlencoded":
      return { fields: parseUrlencoded(bytes), wantsJson: false };
    case "multipart/form-data": {
      // undici takes as many parts as there are; each has this header
      requireAtMost(MAX_FIELDS, "content-disposition", bytes);
      const form = await new Response(bytes, { headers: { "Content-Type": contentType } })
        .formData()
        .catch(() => {
          throw refusal(400, "The form could not be read.");
        });
      return { fields: collect(form), wantsJson: false };
    }
    default:
      throw refusal(415, "Send this as a form or as JSON.");
  }
}

function parseUrlencoded(bytes: Uint8Array): Record<string, FieldValue> {
  requireAtMost(MAX_FIELDS - 1, "&", bytes);
  return collect(new URLSearchParams(new TextDecoder().decode(bytes)));
}

/** Throws a 400 Response if a body holds what marks a field of it, in whatever case, more often. */
function requireAtMost(most: number, mark: string, bytes: Uint8Array): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .toLowerCase();
  let count = 0;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    count += 1;
    if (count > most) throw refusal(400, "The form has too many fields.");
  }
}

function parseJson(bytes: Uint8Array): Record<string, FieldValue> {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refusal(400, "The body is not valid JSON.");
  }
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw refusal(400, "The body is not a JSON object.");
  }
  const fields: Record<string, FieldValue> = Object.assign(Object.create(null), body);
  for (const [name, value] of Object.entries(fields)) {
    // two values show that there is more than one; nobody has to go through thousands
    if (Array.isArray(value)) fields[name] = value.slice(0, 2);
  }
  return fields;
}

function collect(entries: Iterable<[string, unknown]>): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = Object.create(null);
  for (const [name, value] of entries) {
    const text = typeof value === "string" ? value : "";
    const earlier = fields[name];
    if (earlier === undefined) fields[name] = text;
    else if (Array.isArray(earlier)) earlier.push(text);
    else fields[name] = [earlier, text];
  }
  return fields;
}

/** What is said with a 503. */
export const BUSY_MESSAGE = "The site is very busy. Please try again.";

/** A thrown answer with a sentence for whoever sent the request. */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(message, {
    status,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}

function tooBusy(): Response {
  return refusal(503, BUSY_MESSAGE, {
    "Retry-After": "5",
    Connection: "close",
  });
}

function tooLarge(limit: number): Response {
  return refusal(413, `The request is larger than ${Math.floor(limit / 1024)} KB.`, {
    Connection: "close",
  });
}
