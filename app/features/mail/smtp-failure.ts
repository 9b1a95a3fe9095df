import type { NodemailerError } from "nodemailer";
import type { Delivery } from "./mail-transport";

const REJECTED_CREDENTIALS = new Set(["EAUTH", "ENOAUTH", "EOAUTH2"]);
const NO_ENCRYPTION = new Set(["ETLS", "EREQUIRETLS"]);

/** Stands for the code of an error that has none. */
const UNKNOWN = "UNKNOWN";

/** How far an attempt got: its message was begun on a ready connection; its last byte was sent. */
type Progress = { wasBegun: boolean; wasSentWhole: boolean };

/**
 * Converts a nodemailer error to a delivery result. Once the whole message was sent, only a reply proves that it was
 * not delivered.
 */
export function describeSmtpFailure(error: unknown, progress: Progress): Delivery {
  const { code, responseCode, command, response = "" } = error as NodemailerError;
  if (progress.wasBegun) {
    if (responseCode !== undefined) {
      const stage = command === "MAIL FROM" || command === "RCPT TO" ? command : "DATA";
      const enhanced = /(?<=^\d{3}[ -])[245]\.\d{1,3}\.\d{1,3}/.exec(response)?.[0] ?? null;
      return { kind: "refused", stage, code: responseCode, enhanced };
    }
    if (code === "EENVELOPE")
      return { kind: "refused", stage: "RCPT TO", code: 553, enhanced: "5.1.3" };
    // larger than the server's SIZE (RFC 1870), so nodemailer did not try to send it
    if (code === "EMESSAGE")
      return { kind: "refused", stage: "MAIL FROM", code: 552, enhanced: "5.3.4" };
    if (progress.wasSentWhole) return { kind: "unanswered", code: code ?? UNKNOWN };
  }
  const failure = describeConnectionFailure(error);
  return progress.wasBegun ? { ...failure, phase: "sending" } : failure;
}

/** Converts a nodemailer error that occurred before any message was begun. */
export function describeConnectionFailure(error: unknown) {
  const { code = UNKNOWN, originalCode = code, responseCode } = error as NodemailerError;
  return {
    kind: "not-sent",
    // an unknown error may concern this mail only
    phase: code === UNKNOWN ? "sending" : "connecting",
    code: responseCode === undefined ? originalCode : `${responseCode} ${code}`,
    advice: adviceFor(code),
  } satisfies Delivery;
}

function adviceFor(code: string): string {
  if (REJECTED_CREDENTIALS.has(code)) {
    return "The mail server rejected the login: check user and password in SMTP_URL.";
  }
  if (NO_ENCRYPTION.has(code)) {
    return "The encrypted connection failed: check the server's certificate, name and SMTP_URL.";
  }
  return "The mail server did not answer as it should: check that it runs and that SMTP_URL names it.";
}
