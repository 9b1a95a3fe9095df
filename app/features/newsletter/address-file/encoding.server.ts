import { OperatorError } from "~db/operator-error";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** A file, or what was read of one; each call of `read` begins at its start. */
export type ByteSource = { name: string; size: number; read: () => AsyncIterable<Buffer> };

/** The signature of a ZIP archive, the container of spreadsheet formats. */
const ZIP_SIGNATURE = Buffer.from("PK\x03\x04");

/**
 * Detects a text file's encoding: by byte order mark, by a NUL within the first character, as UTF-8 if all of it is
 * valid, else as windows-1252. Reads the whole file in constant memory. Throws an OperatorError for a workbook.
 */
export async function detectEncoding(source: ByteSource): Promise<Encoding> {
  let start = Buffer.alloc(0);
  for await (const chunk of source.read()) {
    start = Buffer.concat([start, chunk]);
    if (start.length >= ZIP_SIGNATURE.length) break;
  }
  if (start.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE)) {
    throw new OperatorError(
      `${source.name} is a workbook or an archive: save the list as CSV (UTF-8).`,
    );
  }
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first !== 0 && second === 0) return "utf-16le";
  if (first === 0 && second !== undefined && second !== 0) return "utf-16be";
  return (await isValidUtf8(source)) ? "utf-8" : "windows-1252";
}

/** Decodes a file's text in chunks, without the byte order mark. */
export async function* decode(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

async function isValidUtf8(source: ByteSource): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of source.read()) {
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_INVALID_ENCODED_DATA") return false;
    throw error;
  }
}
