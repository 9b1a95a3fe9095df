import type { Delivery } from "./mail-transport";
import { retryDelayMs } from "./retry-schedule";

/** The next step for a mail after an attempt. */
export type NextStep =
  | { kind: "sent" }
  | {
      kind: "retry";
      delayMs: number;
      /** Whether the attempt counts toward the mail's retry schedule; a server outage does not. */
      countsAttempt: boolean;
      inDoubt: boolean;
    }
  | { kind: "failed"; inDoubt: boolean; suppressAddress: boolean };

/** What an attempt showed about the mail server. */
export type ServerVerdict =
  | "works"
  /** Works, but throttles the sender. */
  | "busy"
  /** Refuses the content or the sender's reputation. */
  | "blocks"
  /** Dropped this connection. Only several in a row indicate a problem with the server. */
  | "drops"
  /** Cannot be used for any mail. */
  | "unavailable";

export type DeliveryOutcome = {
  next: NextStep;
  server: ServerVerdict;
  /** The failure's codes, such as "450 4.2.2 RCPT TO"; null after a success. */
  reply: string | null;
};

/** A mail's counters before the attempt, and its expiry in milliseconds of the same clock as `now`. */
export type AttemptedMail = { attempts: number; timesInDoubt: number; expiresAt: number };

type Refusal = Extract<Delivery, { kind: "refused" }>;

/**
 * Decides the next step after an attempt. A temporary refusal is retried until the mail expires. The address of a
 * mailbox that does not exist is suppressed. A failure of the whole server costs no attempt.
 */
export function judgeDelivery(
  delivery: Delivery,
  mail: AttemptedMail,
  now: number,
  random: number,
): DeliveryOutcome {
  switch (delivery.kind) {
    case "accepted":
      return { next: { kind: "sent" }, server: "works", reply: null };
    case "not-sent":
      if (delivery.phase === "connecting") return heldBack(delivery.code);
      return {
        next: retry("lost", mail, now, random),
        server: "drops",
        reply: delivery.code,
      };
    case "unanswered":
      return {
        next: retry("unanswered", { ...mail, attempts: mail.timesInDoubt }, now, random, true),
        server: "drops",
        reply: `no answer (${delivery.code})`,
      };
    case "refused":
      return judgeRefusal(delivery, mail, now, random);
  }
}

function judgeRefusal(
  refusal: Refusal,
  mail: AttemptedMail,
  now: number,
  random: number,
): DeliveryOutcome {
  const { stage, code, enhanced } = refusal;
  const reply = [code, enhanced, stage].filter(Boolean).join(" ");
  const retried = (reason: "refused" | "mailbox-full" | "lost", server: ServerVerdict) => ({
    next: retry(reason, mail, now, random),
    server,
    reply,
  });
  const failed = (server: ServerVerdict, suppressAddress = false): DeliveryOutcome => ({
    next: { kind: "failed", inDoubt: false, suppressAddress },
    server,
    reply,
  });

  if (isTooLarge(refusal)) return failed("works");
  // 421: the server closes the connection; 503: it has lost the session's state
  if (code === 421 || code === 503) return retried("lost", "drops");
  if (stage === "MAIL FROM") return heldBack(reply);
  if (isMailboxFull(refusal)) return retried("mailbox-full", "works");
  if (code < 500) return retried("refused", isThrottling(refusal) ? "busy" : "works");
  if (isUnknownMailbox(refusal)) return failed("works", true);
  return failed(isBlocking(refusal) ? "blocks" : "works");
}

/** Requeues the mail without counting an attempt, because the server cannot take any mail. */
function heldBack(reply: string): DeliveryOutcome {
  return {
    next: { kind: "retry", delayMs: 0, countsAttempt: false, inDoubt: false },
    server: "unavailable",
    reply,
  };
}

function retry(
  reason: Parameters<typeof retryDelayMs>[0],
  { attempts, expiresAt }: AttemptedMail,
  now: number,
  random: number,
  inDoubt = false,
): NextStep {
  const delayMs = retryDelayMs(reason, attempts, random);
  if (delayMs === null || now + delayMs >= expiresAt) {
    return { kind: "failed", inDoubt, suppressAddress: false };
  }
  return { kind: "retry", delayMs, countsAttempt: !inDoubt, inDoubt };
}

/** RFC 3463, 3.4: the message is too big for the system. */
const isTooLarge = ({ enhanced, stage, code }: Refusal) =>
  enhanced === "5.3.4" || (stage === "MAIL FROM" && code === 552);

/** RFC 5321, 4.2.3: 552 is "exceeded storage allocation". */
const isMailboxFull = ({ code, enhanced }: Refusal) =>
  enhanced ? /^[45]\.2\.2$/.test(enhanced) : code === 552;

/** RFC 3463: a mailbox that does not exist, has moved or is disabled. RFC 5321 if there is no enhanced code. */
function isUnknownMailbox({ stage, code, enhanced }: Refusal): boolean {
  if (enhanced) return /^5\.(?:1\.(?:[1236]|10)|2\.1)$/.test(enhanced);
  return stage === "RCPT TO" && (code === 550 || code === 551 || code === 553);
}

/** RFC 3463: a mail system problem (3), too many recipients (5.3) or policy (7). Without an enhanced code, 452. */
const isThrottling = ({ code, enhanced }: Refusal) =>
  enhanced ? /^4\.(?:3\.|5\.3$|7\.)/.test(enhanced) : code === 452;

const isBlocking = ({ code, enhanced }: Refusal) =>
  enhanced ? enhanced.startsWith("5.7.") : code === 554;
