/**
 * `npm run mails`: writes a sample of every mail into `mails/`, as HTML, text and screenshots. These have two widths,
 * light and dark mode, and blocked pictures. Names after the command select mails: `npm run mails -- membership`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { findChromium, launchChromium } from "../support/browsers/chromium.mjs";

const WIDTHS = [360, 800];
const MODES = /** @type {const} */ ([
  { name: "light", colorScheme: "light", picturesBlocked: false },
  { name: "dark", colorScheme: "dark", picturesBlocked: false },
  { name: "without-pictures", colorScheme: "light", picturesBlocked: true },
]);

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "mails");
const wanted = process.argv.slice(2);
const mails = Object.entries(await renderedSamples()).filter(
  ([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);

if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, { html, text }] of mails) {
  writeFileSync(join(folder, `${name}.html`), html);
  writeFileSync(join(folder, `${name}.txt`), text);
}

process.env.CHROMIUM_PATH = await findChromium();
const browser = await launchChromium();
try {
  for (const mode of MODES) await draw(mode);
} finally {
  await browser.close();
}
console.log(`${mails.length} mails are in ${folder}.`);

/**
 * Compiles the samples and renders them.
 *
 * @returns {Promise<Record<string, { subject: string, html: string, text: string }>>}
 */
async function renderedSamples() {
  // inside the project, where Node finds the packages
  const outfile = join(root, ".cache/mail-samples.mjs");
  await build({
    stdin: {
      contents: 'export { renderSamples } from "./tests/support/mail-samples.tsx";',
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const { renderSamples } = await import(pathToFileURL(outfile).href);
  return renderSamples();
}

/** @param {typeof MODES[number]} mode */
async function draw({ name: mode, colorScheme, picturesBlocked }) {
  const context = await browser.newContext({ colorScheme });
  const page = await context.newPage();
  await page.route(/^https:/, (route) =>
    picturesBlocked ? route.abort() : route.fulfill({ path: join(root, "public/share.png") }),
  );
  for (const [name] of mails) {
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 640 });
      const path = join(folder, `${name}-${width}-${mode}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
  await context.close();
}
