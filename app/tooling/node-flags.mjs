/**
 * The flags that Node is started with, everywhere the site runs; in a container by NODE_OPTIONS. Node sizes its memory by that
 * of the machine: on a large one, rendering pages makes the process grow to 530 MB, because V8 puts off collecting garbage.
 * With these limits it stays below 300 MB. They must be set before the program is loaded.
 */
export const NODE_FLAGS = ["--max-semi-space-size=8", "--max-old-space-size=512"];
