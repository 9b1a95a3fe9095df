/**
 * What Node is started with, wherever the site is. Newer versions let the part of the heap that is for new
 * things grow to 128 MB on a large machine, loading the program fills that, and it is never given back:
 * 280 MB at rest and over 400 MB under load with Node 24. With this bound, and the one that
 * runtime-setup.mjs sets, it is 180 and 270. It has to be known before the program is loaded, hence here.
 */
export const NODE_FLAGS = ["--max-semi-space-size=16"];
