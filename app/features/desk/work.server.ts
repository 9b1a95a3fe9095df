import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";

/** How long a form waits for work to end, in milliseconds. */
const WAIT_MS = 5_000;

/** Work that may take longer than a request, and what became of it, in a sentence. */
export type Work = { title: string; startedAt: string; isRunning: boolean; text: string };

const works = new Map<string, Work>();

/** What this process has begun for authors, the latest of each title. */
export const listWork = (): Work[] => [...works.values()];

/**
 * Starts work that returns a sentence, and waits a few seconds for its end. Does nothing while work of that title goes on. With
 * an author, the sentence goes into the desk's log.
 */
export async function startWork(
  title: string,
  author: Author | null,
  work: () => Promise<string>,
): Promise<Work> {
  const before = works.get(title);
  if (before?.isRunning) return before;
  const own = {
    title,
    startedAt: new Date().toISOString(),
    isRunning: true,
    text: "It goes on. Reload the page of the site’s health to see its end.",
  };
  works.set(title, own);
  const run = async () => {
    try {
      own.text = await work();
      if (author) await recordChange(author, own.text);
    } catch (error) {
      const isExpected = error instanceof OperatorError;
      if (!isExpected) log().error({ err: error }, "work begun at the desk has failed");
      own.text = isExpected ? error.message : "It failed. The site’s log says why.";
    }
    own.isRunning = false;
  };
  await pTimeout(run(), { milliseconds: WAIT_MS, fallback: () => {} });
  return own;
}
