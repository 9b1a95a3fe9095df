/*
 * What Node is started with, wherever the site is. Without it Node 24 on a large machine holds 280 MB at
 * rest and over 400 MB under load; with it, and the bound that production-mode.mjs sets, at most 250 MB at
 * the same speed. Both have to be known before the program is loaded.
 */

/**
 * The part of the heap that is for new things may otherwise grow to 128 MB. Loading the program fills that,
 * and it is never given back.
 */
export const NODE_FLAGS = ["--max-semi-space-size=16"];

/**
 * For glibc's malloc, read by nothing else: the 19 MB that hashing a password takes go back to the system
 * at once, instead of being kept by each thread that has hashed one.
 */
export const MALLOC_VARIABLES = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576" };
