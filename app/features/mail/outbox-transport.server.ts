import { join } from "node:path";
import nodemailer from "nodemailer";
import { dataDirectory, reportDataDirectoryFailure } from "~/data-directory.server";
import { composeMessage, SELF_CONTAINED } from "./compose-message.server";
import type { MailTransport, TransportedMail } from "./mail-transport";
import { writeToOutbox } from "./outbox.server";

/** Writes mail as `.eml` files into `DATA_DIR/outbox`, for a site without a mail server. */
export function openOutboxTransport(): MailTransport {
  let directory: string | undefined;
  return {
    deliver: async (mail) => {
      try {
        // once, since to look at it takes as long as to write the mail
        directory ??= dataDirectory();
        await writeMailToOutbox(mail, directory);
        return { kind: "accepted" };
      } catch (error) {
        return {
          kind: "not-sent",
          phase: "connecting",
          code: String((error as NodeJS.ErrnoException).code ?? "UNKNOWN"),
          advice:
            reportDataDirectoryFailure(error) ??
            "Make DATA_DIR/outbox writable, or set SMTP_URL so that mail is actually sent.",
        };
      }
    },
    close: () => {},
  };
}

/** Writes one mail into the outbox and returns its file. Throws the file system's error. */
export async function writeMailToOutbox(
  mail: TransportedMail,
  directory = dataDirectory(),
): Promise<string> {
  const { message } = await composer.sendMail(composeMessage(mail));
  return writeToOutbox(join(directory, "outbox"), message as Buffer);
}

const composer = nodemailer.createTransport({
  streamTransport: true,
  buffer: true,
  newline: "windows",
  ...SELF_CONTAINED,
});
