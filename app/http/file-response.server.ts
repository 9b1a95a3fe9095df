import { open } from "node:fs/promises";
import { LazyFile } from "@remix-run/lazy-file";
import { createFileResponse } from "@remix-run/response/file";

/** Bytes read and sent at a time, and so the memory that a slow client takes. */
const CHUNK_BYTES = 64 * 1024;

export type SentFile = {
  path: string;
  bytes: number;
  mediaType: string;
  /** The strong entity tag of its content. */
  tag: string;
  cacheControl: string;
};

/**
 * The response with a file or one range of it, to a GET or HEAD request (RFC 9110, 13 and 14). A request for several
 * ranges gets the whole file.
 */
export async function fileResponse(
  request: Request,
  { path, bytes, mediaType, tag, cacheControl }: SentFile,
): Promise<Response> {
  const content = {
    byteLength: bytes,
    stream: (start = 0, end = bytes) => streamFile(path, start, end),
  };
  const response = await createFileResponse(
    new LazyFile(content, tag, { type: mediaType }),
    withPlainTags(withSingleRange(request)),
    { etag: "strong", digest: () => Promise.resolve(tag), lastModified: false, acceptRanges: true },
  );
  // also of a 304, whose headers replace those of the stored response
  response.headers.set("Cache-Control", cacheControl);
  return response;
}

/** A document made for this request, with a strong entity tag of its content. */
export type SentDocument = Omit<SentFile, "path" | "bytes"> & {
  content: string | Uint8Array<ArrayBuffer>;
  lastModified?: Date;
};

/** The response with a document to a GET or HEAD request; a 304 if the client has it already. */
export async function documentResponse(
  request: Request,
  { content, mediaType, tag, cacheControl, lastModified }: SentDocument,
): Promise<Response> {
  const response = await createFileResponse(
    new File([content], tag, { type: mediaType, lastModified: lastModified?.getTime() }),
    withPlainTags(request),
    {
      etag: "strong",
      digest: () => Promise.resolve(tag),
      lastModified: lastModified !== undefined,
      acceptRanges: false,
    },
  );
  response.headers.set("Cache-Control", cacheControl);
  return response;
}

/** One range of bytes; a suffix range must not be empty. */
const SINGLE_RANGE = /^bytes=(?:(\d+)-(\d*)|-0*[1-9]\d*)$/;

/**
 * The request without a Range other than a single one of bytes. A server may ignore those (RFC 9110, 14.2); the package
 * would answer them with an error.
 */
function withSingleRange(request: Request): Request {
  const range = request.headers.get("Range");
  if (range === null) return request;
  const [isSingle, first, last] = SINGLE_RANGE.exec(range) ?? [];
  if (isSingle && !(last && Number(first) > Number(last))) return request;
  return withHeader(request, "Range", null);
}

/** Marks an entity tag as weak. */
const WEAK = /(^|[,\s])W\/(?=")/g;

/**
 * The request with the tags of If-None-Match made strong. Compressing proxies weaken them, and a weak tag matches too
 * (RFC 9110, 13.1.2), but the package compares them literally.
 */
function withPlainTags(request: Request): Request {
  const tags = request.headers.get("If-None-Match");
  if (!tags?.includes("W/")) return request;
  return withHeader(request, "If-None-Match", tags.replace(WEAK, "$1"));
}

function withHeader({ url, method, headers }: Request, name: string, value: string | null) {
  const changed = new Headers(headers);
  if (value === null) changed.delete(name);
  else changed.set(name, value);
  return new Request(url, { method, headers: changed });
}

/**
 * The bytes from `start` up to, not including, `end`, read as the client takes them. The file is open only while a
 * chunk is read, so that slow or disconnected clients hold no file descriptors.
 */
function streamFile(
  path: string,
  start: number,
  end: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let position = start;
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await readChunk(path, position, Math.min(CHUNK_BYTES, end - position));
        position += chunk.byteLength;
        if (chunk.byteLength > 0) controller.enqueue(chunk);
        // Content-Length has been sent, so a response that ends early has to fail
        if (chunk.byteLength === 0 && position < end) controller.error(new Error("A file shrank."));
        else if (position >= end) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

async function readChunk(
  path: string,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
