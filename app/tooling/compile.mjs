// Builds the site: `remix build`, then one server file, and compressed copies of what browsers load.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { bundleSandbox } from "./bundle-sandbox.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const remix = createRequire(import.meta.url).resolve("@remix-run/dev/dist/cli.js");

// the style plugins read it too
process.env.NODE_ENV = "production";

const { status, stderr } = spawnSync(process.execPath, [remix, "build"], {
  cwd: root,
  stdio: ["inherit", "inherit", "pipe"],
});
if (status !== 0) {
  // only on failure: after a success esbuild may complain that it was ended
  process.stderr.write(stderr);
  process.exit(status ?? 1);
}
await import("./bundle-server.mjs");
await bundleSandbox();
await import("./precompress.mjs");
