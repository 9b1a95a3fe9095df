const waiting: (() => void)[] = [];

/**
 * Resolves when it is the caller's turn to begin its work: first come, first served, and one in each round
 * of the event loop. When a crowd comes at once, what is answered from memory is still answered in
 * between, after a millisecond or two instead of after the whole crowd.
 */
export function turn(): Promise<void> {
  return new Promise((begin) => {
    if (waiting.push(begin) === 1) setImmediate(beginNext);
  });
}

function beginNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginNext);
}
