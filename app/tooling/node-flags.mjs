/**
 * The flags that Node is started with, everywhere the site runs; in a container by NODE_OPTIONS. Newer versions let
 * the young generation of the heap grow to 128 MB on a large machine; loading the program fills that, and it is never
 * released: 280 MB at rest and over 400 MB under load with Node 24. With this limit, and the one in
 * runtime-setup.mjs, it is 180 and 270. The limit must be set before the program is loaded, so it is a flag.
 */
export const NODE_FLAGS = ["--max-semi-space-size=16"];

/**
 * The variables that Node is started with where the site runs for others, as in the container: they are for the C library,
 * which reads them before the program can set any (docs/decisions/0006-container.md).
 */
export const NODE_VARIABLES = {
  MALLOC_ARENA_MAX: "1",
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
};
