/** Why a mail failed, without its address, its content or anything the server quoted from them. */
export type MailFailureFacts = {
  /** The system's or nodemailer's error code, or "UNKNOWN". */
  code: string;
  /** The SMTP reply code, if there was one. */
  responseCode: number | null;
  /** Whether a retry may succeed. */
  temporary: boolean;
  /** What the operator can do, as a sentence. */
  advice: string;
};

/** A mail was not sent. Unlike the original error's, its message contains no personal data and may be logged. */
export class MailFailure extends Error {
  override name = "MailFailure";
  constructor(readonly facts: MailFailureFacts) {
    super(facts.advice);
  }
}

const REJECTED_CREDENTIALS = new Set(["EAUTH", "ENOAUTH", "EOAUTH2"]);
const NO_ENCRYPTION = new Set(["ETLS", "EREQUIRETLS"]);

/** Classifies an error of nodemailer or of the file system by what the operator can do about it. */
export function describeMailFailure(error: unknown, way: "smtp" | "outbox"): MailFailureFacts {
  const code = textMember(error, "code") ?? "UNKNOWN";
  const response = numberMember(error, "responseCode");
  const facts = { code, responseCode: response };

  if (way === "outbox") {
    return {
      ...facts,
      temporary: false,
      advice: "Make DATA_DIR/outbox writable, or set SMTP_URL so that mail is actually sent.",
    };
  }
  if (REJECTED_CREDENTIALS.has(code)) {
    return {
      ...facts,
      temporary: response !== null && response < 500,
      advice: "The mail server rejected the login: check user and password in SMTP_URL.",
    };
  }
  if (NO_ENCRYPTION.has(code)) {
    return {
      ...facts,
      temporary: false,
      advice: "The encrypted connection failed: check the server's certificate, name and SMTP_URL.",
    };
  }
  if (response !== null) {
    return {
      ...facts,
      temporary: response < 500,
      advice:
        response < 500
          ? "The mail server asked to try later: see its log if that goes on."
          : "The mail server rejected the mail: check MAIL_FROM, and the server's log for its reason.",
    };
  }
  return {
    ...facts,
    temporary: true,
    advice:
      "The mail server did not answer as it should: check that it runs and that SMTP_URL names it.",
  };
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
