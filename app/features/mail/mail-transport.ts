import type { RenderedMail } from "~db/schema";

/** A mail as passed to a transport. */
export type TransportedMail = {
  /** With angle brackets; the same at every attempt. */
  messageId: string;
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  date: Date;
  content: RenderedMail;
  /** Milliseconds after which an attempt is aborted, unless the whole message has been sent by then. */
  abandonAfterMs: number;
};

/** A destination for mail: the mail server or the outbox folder. */
export type MailTransport = {
  /** Attempts to deliver a mail. Never throws; a failure never contains the recipient's address. */
  deliver: (mail: TransportedMail) => Promise<Delivery>;
  /** Tests the mail server's login without sending a mail. Absent if there is no mail server. */
  verify?: () => Promise<Extract<Delivery, { kind: "accepted" | "not-sent" }>>;
  /** Aborts all attempts in progress, which then resolve. The transport cannot be used again. */
  close: () => void;
};

/** The result of one delivery attempt. Codes only, because a server's text may quote the address. */
export type Delivery =
  | { kind: "accepted" }
  /** The server refused this mail. */
  | {
      kind: "refused";
      stage: "MAIL FROM" | "RCPT TO" | "DATA";
      code: number;
      /** The enhanced status code (RFC 3463), such as "5.1.1". */
      enhanced: string | null;
    }
  /**
   * Nothing was delivered: the connection failed (DNS, TCP, TLS, greeting, login) or was lost before the whole
   * message was sent. `advice` is a sentence for the operator.
   */
  | { kind: "not-sent"; phase: "connecting" | "sending"; code: string; advice: string }
  /** The whole message was sent but no reply came, so it may have been delivered (RFC 1047). */
  | { kind: "unanswered"; code: string };
