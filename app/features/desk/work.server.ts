import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";

/** How long a form waits for work to end, in milliseconds. */
const WAIT_MS = 5_000;

/** Work that may take longer than a request; its outcome is null while it goes on. */
export type Work = { title: string; startedAt: string; outcome: Outcome | null };
export type Outcome = { isDone: boolean; text: string };

const works = new Map<string, Work>();

/** What this process has begun for authors, the latest of each title. */
export const listWork = (): Work[] => [...works.values()];

/**
 * Starts work that returns a sentence, and waits a few seconds for its end; null if it goes on. Refuses while work of that title
 * goes on. Records what was done if there is an author.
 */
export async function startWork(
  title: string,
  author: Author | null,
  work: () => Promise<string>,
): Promise<Outcome | null> {
  const former = works.get(title);
  if (former?.outcome === null) return { isDone: false, text: "This is being done already." };
  const own: Work = { title, startedAt: new Date().toISOString(), outcome: null };
  works.set(title, own);
  const ended = work()
    .then(async (text) => {
      if (author) await recordChange(author, text);
      return { isDone: true, text };
    })
    .catch((error: unknown) => ({ isDone: false, text: explain(error) }))
    .then((outcome) => {
      own.outcome = outcome;
    });
  await pTimeout(ended, { milliseconds: WAIT_MS, fallback: () => {} });
  return own.outcome;
}

function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  log().error({ err: error }, "work begun at the desk has failed");
  return "It failed. The site’s log says why.";
}
