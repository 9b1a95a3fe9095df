import pino from "pino";
import { env } from "~/env.server";

let logger: pino.Logger | undefined;
let output: 1 | 2 = 1;

/** Sends the log to standard error, for commands whose standard output is their answer. */
export function logToStandardError(): void {
  output = 2;
  logger = undefined;
}

/**
 * The process's log: one JSON line an event on standard output, at `LOG_LEVEL`. Callers name people by
 * id; addresses, passwords, tokens and keys never go in, and the redaction below is the second fence: it
 * sees every message, every error under `err` and every requested path under `path`.
 */
export function log(): pino.Logger {
  logger ??= pino(
    {
      level: env().LOG_LEVEL,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ["email", "password", "token", "cookie", "authorization", "*.email", "*.password"],
        censor: "[redacted]",
      },
      serializers: { err: describeError, path: pathForLog },
      hooks: {
        logMethod(args, write) {
          const cleaned = args.map((arg) =>
            typeof arg === "string" ? withoutAddresses(arg) : arg,
          );
          write.apply(this, cleaned as typeof args);
        },
      },
    },
    pino.destination({ fd: output, sync: true }),
  );
  return logger;
}

/** An error as the log may hold it: its kind, message and stack, without the query or card data around it. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: withoutAddresses(String(error)) };
  const { code, type, requestId } = error as {
    code?: unknown;
    type?: unknown;
    requestId?: unknown;
  };
  const cause = error.cause instanceof Error ? describeError(error.cause) : undefined;
  // drizzle puts the parameters of a failed query behind this word
  const message = withoutAddresses(error.message.split("\nparams:")[0] ?? "");
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
    stack: stack && withoutAddresses(stack),
  };
}

/** How much of a path the log keeps. */
const MAX_PATH_LENGTH = 200;

/** A requested path as the log may hold it. Node hands over bytes beyond ASCII as single characters. */
function pathForLog(path: unknown): unknown {
  if (typeof path !== "string") return path;
  const ascii = path.replace(
    /[\u0080-\u00ff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return withoutAddresses(ascii).slice(0, MAX_PATH_LENGTH);
}

/** As often as an address is decoded to be found; more layers than that nobody puts on by accident. */
const MAX_LAYERS = 5;

/**
 * A text for the log that others have worded, such as Stripe or a visitor, without e-mail addresses in it,
 * however they are written: percent-encoded once or several times, or with one of Unicode's other at signs.
 */
export function withoutAddresses(text: string): string {
  // the at sign, its look-alikes (Unicode NFKC), or the beginning of an encoded one
  if (!/[@\uff20\ufe6b%]/.test(text)) return text;
  return text.replace(/[^\s<>"'(),:;/[\]]+/g, (word) => (holdsAddress(word) ? "[redacted]" : word));
}

function holdsAddress(word: string): boolean {
  let decoded = word;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const next = decoded.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
    );
    if (next === decoded) break;
    decoded = next;
  }
  return /[^@]@+[^@]/.test(decoded.normalize("NFKC"));
}
