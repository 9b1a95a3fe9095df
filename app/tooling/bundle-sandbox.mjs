// Builds the local Stripe, which the site's own bundle does not contain.
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Writes `build/sandbox.js`, which the site loads with `PAYMENTS=sandbox`. It imports the installed packages. */
export async function bundleSandbox() {
  // loaded late, because `npm run dev` first reports missing packages
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: ["app/sandbox/stripe/server.server.ts"],
    outfile: "build/sandbox.js",
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "warning",
  });
}
