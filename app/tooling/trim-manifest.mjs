// Takes the routes without a page out of the manifest that every page loads: browsers ask for them by plain requests,
// and never navigate to them. That is half of the routes, and a third of the manifest. Takes out as well which modules
// a route imports: it is there for prefetching, which the site does not do; the server knows it from its own manifest.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "public/build");
const PREFIX = "window.__remixManifest=";

/** @type {{ outputs: Record<string, { exports: string[] }> }} */
const { outputs } = JSON.parse(readFileSync(join(root, "build/metafile.js.json"), "utf8"));

for (const name of readdirSync(folder).filter((file) => /^manifest-\w+\.js$/.test(file))) {
  const file = join(folder, name);
  const script = readFileSync(file, "utf8");
  if (!script.startsWith(PREFIX)) throw new Error(`${name} does not begin with ${PREFIX}`);
  /** @type {{ entry: object, routes: Record<string, { module: string }> }} */
  const manifest = JSON.parse(script.slice(PREFIX.length).replace(/;\s*$/, ""));
  const pages = Object.entries(manifest.routes).filter(([, { module }]) =>
    outputs[`public${module}`]?.exports.includes("default"),
  );
  if (pages.length === 0) throw new Error(`${name} would have no routes.`);
  const routes = pages.map(([id, route]) => [id, { ...route, imports: undefined }]);
  const entry = { ...manifest.entry, imports: [] };
  const trimmed = { ...manifest, entry, routes: Object.fromEntries(routes) };
  writeFileSync(file, `${PREFIX}${JSON.stringify(trimmed)};`);
}
