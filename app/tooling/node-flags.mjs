/**
 * Node's flags wherever the site runs, in a container by NODE_OPTIONS. They must be set before the program is loaded.
 * On a large machine V8 delays garbage collection, and rendering pages makes the process grow to 530 MB; with these
 * limits it stays below 300 MB.
 */
export const NODE_FLAGS = ["--max-semi-space-size=8", "--max-old-space-size=512"];
