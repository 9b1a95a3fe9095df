import type { RenderedMail } from "~db/schema";
import type { Delivery } from "./delivery";

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
