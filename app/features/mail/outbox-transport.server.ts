import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import nodemailer from "nodemailer";
import { dataDirectory, reportDataDirectoryFailure } from "~/data-directory.server";
import { composeMessage, SELF_CONTAINED } from "./compose-message.server";
import type { MailTransport, TransportedMail } from "./mail-transport";

/** Writes mail as `.eml` files to `DATA_DIR/outbox`, for a site without a mail server. */
export function openOutboxTransport(): MailTransport {
  let directory: string | undefined;
  return {
    deliver: async (mail) => {
      try {
        // once, because the check takes as long as writing the mail
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

/** Writes one mail to the outbox and returns the file's path. Throws the file system's error. */
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

let written = 0;

/** Makes file names unique between concurrent processes. */
const writer = randomBytes(4).toString("hex");

/**
 * Writes a composed message to the outbox folder. Only the program's user may read it, because its links are
 * credentials. The file is created atomically; names sort by time of writing.
 */
async function writeToOutbox(folder: string, message: Buffer): Promise<string> {
  const time = new Date().toISOString().replaceAll(":", "-");
  // the count orders mails within the same millisecond
  written = (written + 1) % 1_000_000;
  const count = String(written).padStart(6, "0");
  const name = `${time}-${count}-${writer}.eml`;
  const temporaryFile = join(folder, `.${name}.part`);
  const file = join(folder, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(temporaryFile, message, { flag: "wx", mode: 0o600, flush: true });
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true }).catch(() => {});
    throw error;
  }
  return file;
}
