import { availableParallelism } from "node:os";
import { hashPassword } from "~/features/accounts/password.server";
import { clientNetworks } from "~/http/client-network.server";

/** Runs `task` while this client's passwords fill the whole hashing queue. */
export async function whileHashQueueIsFull<Result>(
  clientAddress: string,
  task: () => Promise<Result>,
): Promise<Result> {
  const network = clientNetworks(clientAddress);
  let isOver = false;
  // tasks that find the queue full give up; all others queue again as soon as they are done
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
