import type { RenderedMail } from "~db/schema";

/** A mail as it is handed to a transport. */
export type TransportedMail = {
  /** With angle brackets; the same at every attempt. */
  messageId: string;
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  date: Date;
  content: RenderedMail;
  /** Milliseconds after which an attempt is abandoned, unless the whole message has been sent by then. */
  abandonAfterMs: number;
};

/** Where mail goes: the mail server, or the outbox folder. */
export type MailTransport = {
  /** Attempts to deliver a mail. Never throws; no mail's failure contains its address. */
  deliver: (mail: TransportedMail) => Promise<Delivery>;
  /** Whether the mail server accepts the login, tested without a mail; absent where there is no mail server. */
  verify?: () => Promise<Extract<Delivery, { kind: "accepted" | "not-sent" }>>;
  /** Ends all attempts in progress, which then resolve; the transport cannot be used again. */
  close: () => void;
};

/** What became of one attempt to deliver a mail. Codes only: a server's words may quote the address. */
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
   * Nothing was delivered: while connecting (DNS, TCP, TLS, greeting, login), or lost before the end of the
   * message was sent. `advice` is a sentence for the operator.
   */
  | { kind: "not-sent"; phase: "connecting" | "sending"; code: string; advice: string }
  /** The whole message was sent and no answer came: it may have been delivered (RFC 1047). */
  | { kind: "unanswered"; code: string };
