/** Largest body of a form, in bytes, except members' notes. */
export const FORM_LIMIT = 64 * 1024;

/**
 * Most fields of a form. The site's largest has five; a body may hold thousands, and each costs the parser as
 * much as a page of text.
 */
const MAX_FIELDS = 100;

/**
 * Most chunks (network packets or HTTP chunks) a body may come in. A thousand packets hold more than any form.
 */
const MAX_CHUNKS = 2_000;

/** Smallest average size of an upload's chunks, in bytes; only the last packet is smaller. */
const UPLOAD_CHUNK_BYTES = 500;

/** Bytes that an upload may have besides its file: other fields and multipart framing. */
const UPLOAD_OVERHEAD = 16 * 1024;

/** Most fields of a form with a file. */
const MAX_UPLOAD_FIELDS = 5;

/** A field's value: a string, or all values of a repeated name. An uploaded file is read as "". */
export type FieldValue = string | string[] | undefined;

export type FormBody = {
  fields: Record<string, FieldValue>;
  /** A JSON body is answered with JSON, a form body with a redirect. */
  wantsJson: boolean;
};

/**
 * Reads a body as text. Throws a 413 Response beyond `limit` bytes, whatever the Content-Length. Throws a 400 Response
 * when the client disconnects before the end or the body comes in too many chunks.
 */
export async function readText(request: Request, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, limit));
}

async function readBytes(
  request: Request,
  limit: number,
  maxChunks = MAX_CHUNKS,
): Promise<Uint8Array<ArrayBuffer>> {
  if (lengthOf(request) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (chunks.length > maxChunks) {
        throw errorResponse(400, "The body comes in too many chunks.");
      }
      if (size > limit) throw tooLarge(limit);
    }
  } catch (error) {
    if (error instanceof Response) throw error;
    throw errorResponse(400, "The request ended before its body was complete.");
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the posted fields of a form (urlencoded or multipart) or of a flat JSON object. Throws a Response:
 * 405 for a method other than POST, 415 for another content type, 413 above `limit` bytes, 400 for a body that
 * does not parse or has more than 100 fields. A repeated field becomes an array, which no field's schema accepts.
 */
export async function readForm(request: Request, limit = FORM_LIMIT): Promise<FormBody> {
  requirePost(request);
  const mediaType = mediaTypeOf(request);
  const bytes = await readBytes(request, limit);

  switch (mediaType) {
    case "application/json":
      return { fields: parseJson(bytes), wantsJson: true };
    case "application/x-www-form-urlencoded":
      return { fields: parseUrlencoded(bytes), wantsJson: false };
    case "multipart/form-data":
      return {
        fields: collect(await parseMultipart(request, bytes, MAX_FIELDS)),
        wantsJson: false,
      };
    default:
      throw errorResponse(415, "Send this as a form or as JSON.");
  }
}

/** The file of a form that has one field for a file. */
export type Upload =
  | { kind: "file"; bytes: Uint8Array; name: string }
  | { kind: "missing" }
  | { kind: "too-large" };

/**
 * As `readForm`, for a form with a file of at most `limit` bytes in `field` and a few other fields. A larger body is
 * dropped, including the other fields. In a body that is not multipart the file is missing.
 */
export async function readUpload(
  request: Request,
  { field, limit }: { field: string; limit: number },
): Promise<FormBody & { upload: Upload }> {
  if (mediaTypeOf(request) !== "multipart/form-data") {
    return { ...(await readForm(request)), upload: { kind: "missing" } };
  }
  requirePost(request);
  const tooLargeUpload = { fields: {}, wantsJson: false, upload: { kind: "too-large" } } as const;
  const most = limit + UPLOAD_OVERHEAD;
  if (lengthOf(request) > most) return tooLargeUpload;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readBytes(request, most, Math.ceil(most / UPLOAD_CHUNK_BYTES));
  } catch (error) {
    if (error instanceof Response && error.status === 413) return tooLargeUpload;
    throw error;
  }
  const form = await parseMultipart(request, bytes, MAX_UPLOAD_FIELDS);
  const file = form.get(field);
  if (file instanceof File && file.size > limit) return tooLargeUpload;
  return {
    fields: collect(form),
    wantsJson: false,
    upload:
      file instanceof File
        ? { kind: "file", bytes: new Uint8Array(await file.arrayBuffer()), name: file.name }
        : { kind: "missing" },
  };
}

/** Throws a 405 Response to a request of another method. */
export function requirePost({ method }: Request): void {
  if (method === "POST") return;
  throw errorResponse(405, `${method} is not possible here; POST is.`, { Allow: "POST" });
}

/** Whether a form will be answered with JSON; known before its body is read. */
export function wantsJson(request: Request): boolean {
  return mediaTypeOf(request) === "application/json";
}

function mediaTypeOf(request: Request): string | undefined {
  return request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
}

/** The Content-Length, which the body may exceed; 0 if there is none. */
function lengthOf(request: Request): number {
  return Number(request.headers.get("Content-Length") ?? 0);
}

/** Throws a 400 Response if a body is no multipart form, or has more than `maxFields` fields. */
async function parseMultipart(
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  maxFields: number,
): Promise<FormData> {
  // undici does not limit the number of parts; each has this header
  requireAtMost(maxFields, "content-disposition", bytes);
  const headers = { "Content-Type": request.headers.get("Content-Type") ?? "" };
  return new Response(bytes, { headers }).formData().catch(() => {
    throw errorResponse(400, "The form could not be read.");
  });
}

function parseUrlencoded(bytes: Uint8Array): Record<string, FieldValue> {
  requireAtMost(MAX_FIELDS - 1, "&", bytes);
  return collect(new URLSearchParams(new TextDecoder().decode(bytes)));
}

/**
 * Throws a 400 Response if a body holds `mark`, which occurs once per field, more than `most` times
 * (case-insensitive).
 */
function requireAtMost(most: number, mark: string, bytes: Uint8Array): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .toLowerCase();
  let count = 0;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    count += 1;
    if (count > most) throw errorResponse(400, "The form has too many fields.");
  }
}

function parseJson(bytes: Uint8Array): Record<string, FieldValue> {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw errorResponse(400, "The body is not valid JSON.");
  }
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw errorResponse(400, "The body is not a JSON object.");
  }
  const fields: Record<string, FieldValue> = Object.assign(Object.create(null), body);
  for (const [name, value] of Object.entries(fields)) {
    // two values are enough to show that it is a list, and bound the work of validating it
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

export const BUSY_MESSAGE = "The site is very busy. Please try again.";

/** A response of text, which is plain and not stored unless the headers say otherwise. */
export function textResponse(
  text: string,
  headers: Record<string, string> = {},
  status = 200,
): Response {
  const usual = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(text, { status, headers: { ...usual, ...headers } });
}

/** An error response with a sentence for the client, to be thrown. */
export function errorResponse(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return textResponse(message, headers, status);
}

function tooLarge(limit: number): Response {
  return errorResponse(413, `The request is larger than ${Math.floor(limit / 1024)} KB.`);
}
