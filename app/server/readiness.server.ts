import { pingDatabase } from "~db/queries/ping";

/** Longest wait for the database's answer, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Whether the database answers a trivial query in time. Never throws. */
export async function isDatabaseReady(): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    const answered = pingDatabase().then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, tooLate]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
