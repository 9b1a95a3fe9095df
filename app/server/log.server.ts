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
 * id; addresses, passwords, tokens and keys never go in, and the redaction below is the second fence.
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
      serializers: { err: describeError },
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

/** A word, and the word behind its `@` if there is one: taken whole, so that no part of it is read twice. */
const WORD = /[^\s@<>"'(),:;/[\]]+(@[^\s@<>"'(),:;/[\]]+)?/g;

/**
 * A text for the log that others have worded, such as Stripe, who may quote an e-mail address in it. Takes
 * time in proportion to the text, whatever it is.
 */
export function withoutAddresses(text: string): string {
  if (!text.includes("@")) return text;
  return text.replace(WORD, (word, host?: string) => (host ? "[redacted]" : word));
}
