import { examineMail } from "~/features/mail/mail-doctor.server";
import { withDatabase } from "./with-database.server";

/** `mail doctor`: prints each finding, and exits with 1 if there is a problem. */
export async function doctor(): Promise<void> {
  await withDatabase(async () => {
    const findings = await examineMail();
    for (const { ok, what, found, advice } of findings) {
      process.stdout.write(
        `${ok ? "ok  " : "FAIL"} ${what}: ${found}${advice ? `. ${advice}` : ""}\n`,
      );
    }
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}
