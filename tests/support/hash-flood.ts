import { availableParallelism } from "node:os";
import { hashPassword } from "~/features/accounts/password.server";
import { clientNetworks } from "~/http/client-network.server";

/** Runs `task` while the passwords of this client fill the whole queue for hashing, which takes its time. */
export async function whileHashQueueIsFull<Result>(
  clientAddress: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const network = clientNetworks(clientAddress);
  let isOver = false;
  // tasks that find no room give up; all others queue again as soon as they are done
  const flood = Promise.allSettled(
    Array.from({ length: 41 * availableParallelism() }, async () => {
      while (!isOver) await hashPassword("x", network);
    }),
  );
  try {
    return await task();
  } finally {
    isOver = true;
    await flood;
  }
}
