import { z } from "zod";
import { emailSchema, readableEmail } from "~/environment/email-address.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { operatorAddress } from "~/features/mail/operator-address.server";
import { renderMail } from "~/features/mail/render-mail";
import {
  cancellationDeclaredMail,
  cancellationReceivedMail,
} from "~/features/mail/templates/cancellation-mails";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { db } from "~db/client";
import {
  CANCELLATION_FIELDS,
  CANCELLATION_KINDS,
  CANCELLATION_MAX_LENGTH,
  type ReceivedCancellation,
} from "./cancellation-fields";

const text = z
  .string()
  .trim()
  .max(CANCELLATION_MAX_LENGTH, `Please enter at most ${CANCELLATION_MAX_LENGTH} characters.`);

/** A cancellation as entered. */
export const cancellationSchema = z.object({
  kind: z.enum(CANCELLATION_KINDS, "Please choose the kind of cancellation."),
  reason: text,
  name: text.min(1, "Please enter your name."),
  contract: text.min(1, "Please enter the contract."),
  endsOn: z.literal("").or(z.iso.date("Please enter a date, or none.")),
  email: emailSchema,
});

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
  cancellation: z.infer<typeof cancellationSchema>,
): Promise<ReceivedCancellation | null> {
  const stated = {
    ...cancellation,
    email: readableEmail(cancellation.email),
    endsOn: cancellation.endsOn || "as early as possible",
  };
  const received = {
    receivedAt: `${TIME.format(new Date())} UTC`,
    facts: Object.entries(CANCELLATION_FIELDS).flatMap(([field, name]) => {
      const value = stated[field as keyof typeof CANCELLATION_FIELDS];
      return value ? [{ name, value }] : [];
    }),
  };
  const { email } = cancellation;
  const mails = [
    { to: email, mail: cancellationReceivedMail(received) },
    { to: operatorAddress() ?? "", mail: cancellationDeclaredMail({ ...received, email }) },
  ];
  try {
    await db().transaction(async (tx) => {
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
