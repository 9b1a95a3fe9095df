import type { Delivery } from "./mail-transport";

const REJECTED_CREDENTIALS = new Set(["EAUTH", "ENOAUTH", "EOAUTH2"]);
const NO_ENCRYPTION = new Set(["ETLS", "EREQUIRETLS"]);

/** How far an attempt got: its message was begun on a ready connection; its last byte was sent. */
type Progress = { wasBegun: boolean; wasSentWhole: boolean };

/**
 * Converts a nodemailer error to a delivery result. Once the whole message was sent, only a reply proves that it was
 * not delivered.
 */
export function describeSmtpFailure(error: unknown, progress: Progress): Delivery {
  const code = textMember(error, "code") ?? "UNKNOWN";
  const responseCode = numberMember(error, "responseCode");
  if (progress.wasBegun) {
    if (responseCode !== null) return refusal(error, responseCode);
    if (code === "EENVELOPE")
      return { kind: "refused", stage: "RCPT TO", code: 553, enhanced: "5.1.3" };
    // larger than the server's SIZE (RFC 1870), so nodemailer did not try to send it
    if (code === "EMESSAGE")
      return { kind: "refused", stage: "MAIL FROM", code: 552, enhanced: "5.3.4" };
    if (progress.wasSentWhole) return { kind: "unanswered", code };
  }
  // an unknown error may concern this mail only
  const isConnecting = !progress.wasBegun && code !== "UNKNOWN";
  return {
    kind: "not-sent",
    phase: isConnecting ? "connecting" : "sending",
    code:
      responseCode === null
        ? (textMember(error, "originalCode") ?? code)
        : `${responseCode} ${code}`,
    advice: adviceFor(code),
  };
}

function refusal(error: unknown, code: number): Delivery {
  const command = textMember(error, "command");
  const [enhanced = null] = /(?<=^\d{3}[ -])[245]\.\d{1,3}\.\d{1,3}/.exec(
    textMember(error, "response") ?? "",
  ) ?? [null];
  return {
    kind: "refused",
    stage: command === "MAIL FROM" || command === "RCPT TO" ? command : "DATA",
    code,
    enhanced,
  };
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

function textMember(error: unknown, name: string): string | null {
  const value = member(error, name);
  return typeof value === "string" ? value : null;
}

function numberMember(error: unknown, name: string): number | null {
  const value = member(error, name);
  return typeof value === "number" ? value : null;
}

function member(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
}
