import argon2 from "argon2";

/** In KiB: nearly the most that malloc learns from. */
const LESSON = {
  type: argon2.argon2id,
  memoryCost: 31 * 1_024,
  timeCost: 1,
  parallelism: 1,
} as const;

/**
 * Lets malloc keep the memory of three hashes from one to the next, instead of returning it to the system and having every
 * page of it anew, a fifth of a hash's time.
 *
 * glibc decides by the largest piece that it was given back so far, up to 32 MiB: pieces of that size come from the memory
 * that it keeps, and of that it returns what exceeds the twofold at its end (mallopt(3), `M_MMAP_THRESHOLD`). Hashes of 19 MiB
 * alone would teach it to keep less than two of them. It could be set by variables of the environment, but then from the
 * start on, when loading the program leaves twice as much behind. Other C libraries learn nothing, and lose nothing.
 */
export async function keepHashMemory(): Promise<void> {
  await argon2.hash("a lesson", LESSON);
}
