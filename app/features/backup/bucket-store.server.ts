import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pTimeout from "p-timeout";
import { S3mini, type S3ServiceError } from "s3mini";
import type { Environment } from "~/env.server";
import { OperatorError } from "~db/operator-error";
import { anyBackupTime, backupTime, PREFIX } from "./backup-name";
import type { BackupStore, SaveOptions, StoredBackup } from "./backup-store";

/** Bytes per part. S3 requires at least 5 MiB and at most 10,000 parts, which allows 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;

/** Delays before retrying to send a part, in milliseconds. */
const RETRIES_MS = [1_000, 4_000];

/** Timeouts in milliseconds: a response, storing a part or assembling all, and between chunks of a download. */
const TIMEOUTS_MS = { answer: 30_000, part: 300_000, piece: 60_000 };

type Bucket = NonNullable<Environment["BACKUP_S3"]>;

/** Overridden in tests, which cannot wait that long. */
type Timing = { timeouts?: typeof TIMEOUTS_MS; retries?: number[] };

/**
 * A backup store in a bucket of any S3-compatible storage. Backups are sent in parts while they are produced, and
 * appear once all parts have arrived. A killed upload is not visible as a backup; a lifecycle rule of the bucket
 * should remove it (docs/operating.md).
 */
export function bucketStore(
  { url, region, accessKeyId, secretAccessKey }: Bucket,
  { timeouts = TIMEOUTS_MS, retries = RETRIES_MS }: Timing = {},
): BackupStore {
  const { origin, pathname } = new URL(url);
  const [bucket = "", ...folders] = pathname.split("/").filter(Boolean);
  const folder = folders.map((name) => `${name}/`).join("");
  const label = `BACKUP_S3_URL ${url}`;
  const clientUntil = (stopping?: AbortSignal) => {
    // each request of the last minutes listens to it
    if (stopping) setMaxListeners(0, stopping);
    return new S3mini({
      endpoint: `${origin}/${bucket}`,
      region,
      accessKeyId,
      secretAccessKey,
      fetch: (address, init) => fetchWithTimeout(address, init, timeouts, stopping),
    });
  };
  const client = clientUntil();
  const asking = <T>(work: () => Promise<T>) => work().catch((error) => fail(error, label));

  async function list(timeOf = backupTime): Promise<StoredBackup[]> {
    const objects = await asking(() => client.listObjects("/", folder + PREFIX));
    if (objects === null) throw noBucket(label);
    return objects
      .flatMap(({ Key, Size }) => {
        const name = Key.slice(folder.length);
        const time = Key.startsWith(folder) ? timeOf(name) : null;
        return time ? [{ name, time, bytes: Number(Size) }] : [];
      })
      .sort((one, other) => one.time.getTime() - other.time.getTime());
  }

  async function save(
    name: string,
    content: AsyncIterable<Uint8Array>,
    { stopping, verify }: SaveOptions = {},
  ): Promise<number> {
    const bytes = await upload(name, content, stopping);
    try {
      await verify?.(read(name));
    } catch (error) {
      await remove(name).catch(() => {});
      throw error;
    }
    return bytes;
  }

  async function upload(
    name: string,
    content: AsyncIterable<Uint8Array>,
    stopping?: AbortSignal,
  ): Promise<number> {
    const key = folder + name;
    if ((await list(anyBackupTime)).some((backup) => backup.name === name)) {
      throw new OperatorError(`${label} already has ${name}, and backups are never replaced.`);
    }
    const uploader = clientUntil(stopping);
    const id = await asking(() => client.getMultipartUploadId(key, "application/gzip"));
    let bytes = 0;
    let isComplete = false;
    try {
      const parts: Awaited<ReturnType<typeof client.uploadPart>>[] = [];
      for await (const part of inParts(content)) {
        stopping?.throwIfAborted();
        const send = () => uploader.uploadPart(key, id, part, parts.length + 1);
        parts.push(await asking(() => withRetries(send, retries, stopping)));
        bytes += part.length;
      }
      isComplete = true;
      const { etag } = await asking(() => uploader.completeMultipartUpload(key, id, parts));
      // a late failure has status 200 too, because the storage sends the status before it has finished
      if (!etag) throw new OperatorError(`${label} did not put the backup together.`);
      return bytes;
    } catch (error) {
      await client.abortMultipartUpload(key, id).catch(() => {});
      // the storage may have assembled it although its response was lost, and it would never be verified
      if (isComplete) await client.deleteObject(key).catch(() => {});
      throw error;
    }
  }

  const remove = (name: string) =>
    asking(async () => void (await client.deleteObject(folder + name)));

  async function* read(name: string): AsyncGenerator<Uint8Array> {
    const response = await asking(() => client.getObjectResponse(folder + name));
    if (!response?.body) throw new OperatorError(`${label} has no ${name}.`);
    const reader = response.body.getReader();
    try {
      for (;;) {
        const limit = { milliseconds: timeouts.piece, message: "nothing came in time" };
        const { done, value } = await asking(() => pTimeout(reader.read(), limit));
        if (done) break;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  return {
    label,
    list,
    save,
    read,
    remove,
    removeUnfinished: async () => {},
  };
}

async function* inParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    pending.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pending);
}

/** Retries after network and server errors, 408 and 429. Other refusals would only be repeated. */
async function withRetries<T>(
  work: () => Promise<T>,
  waits: number[],
  stopping?: AbortSignal,
): Promise<T> {
  for (const wait of waits) {
    try {
      return await work();
    } catch (error) {
      stopping?.throwIfAborted();
      const { status } = answerOf(error);
      if (status !== null && status < 500 && status !== 408 && status !== 429) throw error;
      await sleep(wait, undefined, { signal: stopping });
    }
  }
  return work();
}

/** Sends a request with a timeout for the whole response, or for its headers if the response is a backup. */
async function fetchWithTimeout(
  address: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  timeouts: typeof TIMEOUTS_MS,
  stopping?: AbortSignal,
): Promise<Response> {
  const isBackup = init?.method === "GET" && !String(address).includes("?");
  // assembling a large backup, which is a POST, takes the storage minutes
  const isLong = init?.method === "PUT" || init?.method === "POST";
  const limit = isLong ? timeouts.part : timeouts.answer;
  if (!isBackup) {
    return fetch(address, { ...init, signal: signalAfter(limit, stopping) });
  }
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error("no answer in time")), limit);
  try {
    return await fetch(address, { ...init, signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Aborts after a time, or with another signal. Not `AbortSignal.any`: Node 20 garbage-collects its timeouts before
 * they fire, so a request would wait forever.
 */
function signalAfter(milliseconds: number, stopping?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  setTimeout(() => controller.abort(new Error("no answer in time")), milliseconds).unref();
  if (stopping?.aborted) controller.abort(stopping.reason);
  const stop = () => controller.abort(stopping?.reason);
  stopping?.addEventListener("abort", stop, { once: true, signal });
  return signal;
}

/** Returns the status and code of the storage's refusal, which the client's errors have in two forms. */
function answerOf(error: unknown): { status: number | null; code: string } {
  const { status, serviceCode = "", message = "" } = error as Partial<S3ServiceError>;
  if (status !== undefined) return { status, code: serviceCode };
  const [, digits, code] = /failed with status (\d{3}): (\w+)/.exec(message) ?? [];
  return { status: digits ? Number(digits) : null, code: code ?? "" };
}

/** Throws an OperatorError that tells what to do. Omits the client's error, because it quotes the signed request. */
function fail(error: unknown, label: string): never {
  if (error instanceof OperatorError) throw error;
  const { status, code } = answerOf(error);
  const said = [status, code].filter(Boolean).join(" ");
  if (code === "NoSuchBucket" || status === 404) throw noBucket(label);
  if (status === 401 || status === 403) {
    throw new OperatorError(
      `${label} refuses the key (${said}): check BACKUP_S3_ACCESS_KEY_ID, BACKUP_S3_SECRET_ACCESS_KEY and BACKUP_S3_REGION, and that the key may list, read, write and delete there.`,
    );
  }
  if (status !== null) throw new OperatorError(`${label} cannot be used: it answered ${said}.`);
  const { message = "", cause } = error as { message?: string; cause?: { code?: string } };
  throw new OperatorError(
    `${label} cannot be reached, or broke off: ${cause?.code ?? (message.split("\n")[0] || "no reason is known")}.`,
  );
}

function noBucket(label: string): OperatorError {
  return new OperatorError(`${label} has no such bucket: create it, or correct the address.`);
}
