import argon2 from "argon2";

/** In KiB: nearly the most that malloc learns from. */
const LESSON = {
  type: argon2.argon2id,
  memoryCost: 31 * 1_024,
  timeCost: 1,
  parallelism: 1,
} as const;

/**
 * Lets malloc keep the memory of three hashes from one to the next. By itself it returns that of two to the system whenever
 * they end, and has every page of the next ones anew, which takes a fifth of a hash's time where pages are small.
 *
 * glibc decides by the largest piece that was ever given back to it, up to 32 MiB: pieces up to that size come from memory that
 * it keeps, unless more than twice as much is free at its end (mallopt(3), `M_MMAP_THRESHOLD`). Hashes, of 19 MiB, teach it to
 * keep less than two of them; this one teaches it more. Variables of the environment could, too, but would have it keep
 * what loading the program leaves behind as well. Other C libraries learn nothing, and lose nothing.
 */
export async function keepHashMemory(): Promise<void> {
  try {
    await argon2.hash("a lesson", LESSON);
  } catch {
    // as much memory as that is not to be had, and so none is kept
  }
}
