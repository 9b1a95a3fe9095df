import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { OperatorError } from "~db/operator-error";
import {
  END,
  type End,
  endSchema,
  entryKind,
  FORMAT_VERSION,
  MANIFEST,
  MAX_DOCUMENT_BYTES,
  type Manifest,
  manifestSchema,
} from "./backup-format";

/** An entry other than the manifest and the end. It must be read before the next one. */
export type ArchiveEntry = {
  name: string;
  bytes: number;
  kind: NonNullable<ReturnType<typeof entryKind>>;
  content: AsyncIterable<Uint8Array>;
};

/** The file is not a backup, is incomplete, or cannot be read by this release. */
export class BrokenBackup extends OperatorError {}

/**
 * Reads a whole archive once, entry by entry, with little memory whatever size the entries claim. `onEntry` gets each
 * entry before its digest is verified. Resolves once everything is read and verified. Throws a BrokenBackup for a
 * file that is foreign, truncated, altered or of a newer format.
 */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  {
    onManifest = async () => {},
    onEntry = async () => {},
  }: {
    onManifest?: (manifest: Manifest) => Promise<void>;
    onEntry?: (entry: ArchiveEntry) => Promise<void>;
  } = {},
): Promise<{ manifest: Manifest; end: End }> {
  const seen: End["entries"] = [];
  let manifest: Manifest | null = null;
  let end: End | null = null;
  for await (const { name, bytes, content } of entriesOf(source)) {
    const kind = entryKind(name);
    if (!kind || end) throw foreign();
    if ((kind.kind === "manifest") !== (manifest === null)) throw foreign();
    if (kind.kind !== "part" && kind.kind !== "file" && bytes > MAX_DOCUMENT_BYTES) throw foreign();
    const hash = createHash("sha256");
    const hashed = hashing(content, hash);
    if (name === MANIFEST) {
      manifest = readManifest(await readAll(hashed));
      await onManifest(manifest);
    } else if (name === END) {
      end = readEnd(await readAll(hashed));
      continue;
    } else {
      await onEntry({ name, bytes, kind, content: hashed });
      // skipped entries must still be verified
      for await (const _ of hashed);
    }
    seen.push({ name, bytes, sha256: hash.digest("hex") });
  }
  if (!manifest) throw foreign();
  if (!end) throw new BrokenBackup("The backup is incomplete: its end is missing.");
  if (JSON.stringify(seen) !== JSON.stringify(end.entries)) {
    throw new BrokenBackup("The backup was altered: its content is not what was backed up.");
  }
  return { manifest, end };
}

/** Reads an entry into memory. Only for entries whose size `readArchive` has limited. */
export async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

type RawEntry = { name: string; bytes: number; content: AsyncIterable<Uint8Array> };

async function* entriesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<RawEntry> {
  const gunzip = createGunzip();
  const compressed = pipeline(source, gunzip);
  // the reader of `gunzip` reports the error
  compressed.catch(() => {});
  const tar = Readable.toWeb(gunzip) as ReadableStream<Uint8Array>;
  const entries = tar.pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { header, body } of entries as unknown as AsyncIterable<ParsedTarEntry>) {
      // backups contain no links or devices
      if (header.type !== "file") throw foreign();
      yield {
        name: header.name,
        bytes: header.size,
        content: body as unknown as AsyncIterable<Uint8Array>,
      };
    }
  } catch (error) {
    throw explain(error);
  } finally {
    gunzip.destroy();
  }
}

async function* hashing(
  content: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw explain(error);
  }
}

function readManifest(content: Buffer): Manifest {
  const json = parseJson(content) as { format?: unknown; version?: unknown } | null;
  if (json?.format !== "golden-path-backup") throw foreign();
  if (typeof json.version === "number" && json.version > FORMAT_VERSION) {
    throw new BrokenBackup(
      "The backup was made by a newer release of this program: install that release, or a later one, and restore with it.",
    );
  }
  const result = manifestSchema.safeParse(json);
  if (!result.success) throw foreign();
  return result.data;
}

function readEnd(content: Buffer): End {
  const result = endSchema.safeParse(parseJson(content));
  if (!result.success) throw foreign();
  return result.data;
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString("utf8"));
  } catch {
    return null;
  }
}

function foreign(): BrokenBackup {
  return new BrokenBackup("The file is not a backup of this program.");
}

/** Converts errors of zlib and the tar reader; returns file reading errors unchanged. */
function explain(error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const { code = "", message = "", syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error;
  if (message === "incorrect header check") return foreign();
  const isCut = code === "Z_BUF_ERROR" || /truncated/i.test(message);
  return new BrokenBackup(
    isCut
      ? "The backup is incomplete: it was cut off."
      : "The backup was altered: it cannot be unpacked.",
    { cause: error },
  );
}
