const encoder = new TextEncoder();

/**
 * The body of a response that is made as the client takes it: a part is asked for when the one before has gone, so
 * that a slow client holds one of them in memory. A client that hangs up ends the parts.
 */
export function streamText(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
