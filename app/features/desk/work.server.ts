import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";
import { OperatorError } from "~db/operator-error";
import type { Author } from "./author.server";
import { recordChange } from "./desk-log.server";

/** How long a form waits for work to end, in milliseconds. */
const WAIT_MS = 5_000;

/** Work that may take longer than a request, and what became of it. */
export type Work = {
  title: string;
  startedAt: string;
  state: "running" | "done" | "refused";
  text: string;
};

const works = new Map<string, Work>();

/** What this process has begun for authors, the latest of each title. */
export const listWork = (): Work[] => [...works.values()];

/**
 * Starts work that returns a sentence, and waits a few seconds for its end. Refuses while work of that title goes on. With an
 * author, the sentence goes into the desk's log.
 */
export async function startWork(
  title: string,
  author: Author | null,
  work: () => Promise<string>,
): Promise<Work> {
  const own: Work = { title, startedAt: new Date().toISOString(), state: "running", text: "" };
  if (works.get(title)?.state === "running") {
    return { ...own, state: "refused", text: "This is being done already. Wait until it is over." };
  }
  works.set(title, own);
  const run = async () => {
    try {
      const text = await work();
      if (author) await recordChange(author, text);
      Object.assign(own, { state: "done", text });
    } catch (error) {
      const isExpected = error instanceof OperatorError;
      if (!isExpected) log().error({ err: error }, "work begun at the desk has failed");
      const text = isExpected ? error.message : "It failed. The site’s log says why.";
      Object.assign(own, { state: "refused", text });
    }
  };
  await pTimeout(run(), { milliseconds: WAIT_MS, fallback: () => {} });
  return own;
}
