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
