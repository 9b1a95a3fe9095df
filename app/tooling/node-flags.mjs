/**
 * The flags that Node is started with, everywhere the site runs; in a container by NODE_OPTIONS. Newer versions let
 * the young generation of the heap grow to 128 MB on a large machine; loading the program fills that, and it is never
 * released: 280 MB at rest and over 400 MB under load with Node 24. The limit must be set before the program is loaded, so
 * it is a flag.
 */
export const NODE_FLAGS = ["--max-semi-space-size=16"];
