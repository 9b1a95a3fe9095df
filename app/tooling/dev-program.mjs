/*
 * The process that `npm run dev` runs a build in. Started ahead of the build, it loads the packages, by far the
 * longest part of a start, from the build before; then it waits to be sent the program's command.
 */
import "./stop-with-parent.mjs";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const build = new URL("../../build/index.js", import.meta.url);

const sent = once(process, "message");
// imported, it does nothing; there may be none yet, or one that fails
await import(build.href).catch(() => {});
const [command] = await sent;
process.argv = [process.execPath, fileURLToPath(build), command];
await import(`${build.href}?run`);
