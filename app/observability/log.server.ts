import pino from "pino";
import { env } from "~/env.server";

let logger: pino.Logger | undefined;
let output: 1 | 2 = 1;

/** Sends the log to standard error, for commands whose standard output is their result. */
export function logToStandardError(): void {
  output = 2;
  logger = undefined;
}

/**
 * The process's log: one JSON line per event on standard output, at `LOG_LEVEL`. Callers identify people by
 * id and never log addresses, passwords, tokens or keys. The redaction below is a second safeguard, applied
 * to every message and every field, to errors under `err` and to requested paths under `path`.
 */
export function log(): pino.Logger {
  logger ??= pino(loggerOptions(), openOutput(output));
  return logger;
}

/** What every line is, wherever it is written. */
export const loggerOptions = (): pino.LoggerOptions => ({
  level: env().LOG_LEVEL,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: {
    paths: ["email", "password", "token", "cookie", "authorization", "*.email", "*.password"],
    censor: "[redacted]",
  },
  formatters: { log: redactFields },
  serializers: { err: describeError, path: pathForLog },
  hooks: {
    logMethod(args, write) {
      const cleaned = args.map((arg) => (typeof arg === "string" ? redactAddresses(arg) : arg));
      write.apply(this, cleaned as typeof args);
    },
  },
});

/** Most bytes buffered while the output cannot be written; further lines are lost. */
const MAX_UNWRITTEN_BYTES = 1_000_000;

/** Opens the log's output. A failed write, as on a closed terminal or a full disk, does not end the process. */
function openOutput(fd: 1 | 2): pino.DestinationStream {
  const destination = pino.destination({ fd, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  destination.on("error", () => {});
  return destination;
}

/** Redacts the texts among a line's fields. */
const redactFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, redacted(value)]));

function redacted(value: unknown): unknown {
  if (typeof value === "string") return redactAddresses(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  // an error has a serializer
  return Object.getPrototypeOf(value) === Object.prototype ? redactFields(value) : value;
}

/** An error reduced to what may be logged: kind, message and stack, without query parameters or card data. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: redactAddresses(String(error)) };
  const { code, type, requestId } = error as {
    code?: unknown;
    type?: unknown;
    requestId?: unknown;
  };
  const cause = error.cause instanceof Error ? describeError(error.cause) : undefined;
  // drizzle appends the parameters of a failed query after this word
  const message = redactAddresses(error.message.split("\nparams:")[0] ?? "");
  const stack = error.stack?.includes("\nparams:")
    ? error.stack
        .split("\n")
        .filter((line) => line.trimStart().startsWith("at "))
        .join("\n")
    : error.stack;
  return {
    name: error.name,
    message,
    code,
    type,
    requestId,
    cause,
    stack: stack && redactAddresses(stack),
  };
}

/** Longest path that is logged, in characters. */
const MAX_PATH_LENGTH = 200;

/** A requested path, redacted for the log. Node decodes non-ASCII bytes as Latin-1 characters. */
function pathForLog(path: unknown): unknown {
  if (typeof path !== "string") return path;
  const ascii = path.replace(
    /[\u0080-\u00ff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return redactAddresses(withoutSecret(ascii)).slice(0, MAX_PATH_LENGTH);
}

/**
 * The part of a path before a secret: that of a member's podcast feed or of a draft, or the token of a mailed link whose
 * `?` or `=` a mail program has encoded. It may contain dot segments and backslashes, which lead to the same address.
 */
const BEFORE_SECRET = /^(?:.*?[\\/](?:podcast|drafts)[\\/]+|[^#?&=;]*[#?&=;])(?=.)/is;

function withoutSecret(path: string): string {
  const before = BEFORE_SECRET.exec(decoded(path))?.[0];
  return before === undefined ? path : `${before}[redacted]`;
}

/** The at sign, and an address's quoted name before it, in HTML's, JavaScript's and quoted-printable's spellings. */
const ESCAPED_AT = /&#0*(?:64|x40);|&commat;|\\u(?:0040|\{0*40\})|\\x40|=40(?=[\w-]+\.\w)/gi;
const QUOTED_NAME = /(?<!\\)\\*"(?:\\"|[^"\r\n]){1,64}"(?=@)/g;

/**
 * Redacts email addresses in text from outside, such as Stripe or a visitor. Also finds those with an escaped at sign,
 * with another of Unicode's, and those that are percent-encoded, once or repeatedly.
 */
export function redactAddresses(text: string): string {
  // at signs (Unicode NFKC), escaped ones, or a percent-encoded byte
  if (!/[@\uff20\ufe6b%&\\=]/.test(text)) return text;
  return text
    .replace(ESCAPED_AT, "@")
    .replace(QUOTED_NAME, "quoted")
    .replace(/[^\s<>"(),:;/[\]]+/g, (word) =>
      containsAddress(word) ? word.replace(/[^'](?:.*[^'])?/, "[redacted]") : word,
    );
}

function containsAddress(word: string): boolean {
  return /[^@']@+[^@]/.test(decoded(word).normalize("NFKC"));
}

/** Most layers of percent-encoding that are decoded; more of them do not occur by accident. */
const MAX_LAYERS = 5;

/** Text with its percent-encoding decoded, however often it was encoded; invalid parts stay. */
function decoded(text: string): string {
  let form = text;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const next = form.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
    );
    if (next === form) break;
    form = next;
  }
  return form;
}
