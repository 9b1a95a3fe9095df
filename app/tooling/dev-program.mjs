/*
 * The process in which `npm run dev` runs a build. Started before the build exists, it loads the packages, by far
 * the longest part of a start, from the previous build; then it waits for its parent to send the command.
 */
import "./stop-with-parent.mjs";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const build = new URL("../../build/index.js", import.meta.url);

const sent = once(process, "message");
// a mere import runs nothing; there may be no build yet, or a broken one
await import(build.href).catch(() => {});
const [command] = await sent;
process.argv = [process.execPath, fileURLToPath(build), command];
await import(`${build.href}?run`);
