import type { IncomingMessage } from "node:http";
import Negotiator from "negotiator";

/** The first of these encodings that a client accepts, `identity` if it accepts none of them. */
export function acceptedEncoding<Encoding extends string>(
  request: IncomingMessage,
  encodings: readonly Encoding[],
): Encoding | "identity" {
  const accepted = new Negotiator(request).encodings([...encodings]);
  return encodings.find((encoding) => accepted.includes(encoding)) ?? "identity";
}
