import { z } from "zod";
import { env } from "~/env.server";
import { addressOf } from "~/environment/schema.server";
import { emailSchema } from "~/features/accounts/credentials";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { renderMail } from "~/features/mail/render-mail";
import {
  cancellationDeclaredMail,
  cancellationReceivedMail,
} from "~/features/mail/templates/cancellation-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { getDatabase } from "~db/client";

const line = (what: string, max = 200) =>
  z
    .string(`Please enter ${what}.`)
    .trim()
    .min(1, `Please enter ${what}.`)
    .max(max, `Please enter ${what} in at most ${max} characters.`);

/** The statements that § 312k (2) BGB names. */
export const cancellationSchema = z.object({
  kind: z.enum(["ordinary", "extraordinary"], "Please choose the kind of cancellation."),
  reason: z.string().trim().max(2_000, "Please give your reason in at most 2000 characters."),
  name: line("your name"),
  contract: line("the contract"),
  endsOn: z.literal("").or(z.iso.date("Please enter a date, or none.")),
  email: emailSchema,
});

export type Cancellation = z.infer<typeof cancellationSchema>;

/** A declaration as received, for its page and its mails. */
export type ReceivedCancellation = { receivedAt: string; facts: { name: string; value: string }[] };

const TIME = new Intl.DateTimeFormat("en-US", {
  dateStyle: "long",
  timeStyle: "medium",
  timeZone: "UTC",
});

/**
 * Receives a declaration: mails it to the address it names, and to the operator to match it with a contract. Nobody
 * is signed in, so it neither looks the address up nor ends anything. Returns null, logged, if it was not received.
 */
export async function declareCancellation(
  cancellation: Cancellation,
): Promise<ReceivedCancellation | null> {
  const { kind, reason, name, contract, endsOn, email } = cancellation;
  const received = {
    receivedAt: `${TIME.format(new Date())} UTC`,
    facts: [
      { name: "Kind", value: kind === "ordinary" ? "ordinary" : "for an important reason" },
      ...(reason ? [{ name: "Reason", value: reason }] : []),
      { name: "Person", value: name },
      { name: "Contract", value: contract },
      { name: "Ends", value: endsOn || "as early as possible" },
      { name: "Confirmation to", value: email },
    ],
  };
  try {
    const { OPERATOR_EMAIL, MAIL_FROM } = env();
    const operator = OPERATOR_EMAIL ?? addressOf(MAIL_FROM) ?? "";
    const mails = [
      { to: email, mail: cancellationReceivedMail(received) },
      { to: operator, mail: cancellationDeclaredMail({ ...received, email }) },
    ];
    await getDatabase().db.transaction(async (tx) => {
      for (const { to, mail } of mails) {
        await enqueueMail({ kind: "cancellation", to, message: await renderMail(mail) }, tx);
      }
    });
    wakeMailWorker();
    return received;
  } catch (error) {
    log().error({ err: error }, "a cancellation could not be received");
    return null;
  }
}
