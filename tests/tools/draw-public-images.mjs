/**
 * Redraws the pixel images of `public/`, the share card, the podcast's cover and the icons, and the cover of the book
 * for e-readers, from the cover's drawing, `public/favicon.svg` and the display face. Run by hand after one of those
 * has changed:
 *
 *   CHROMIUM_PATH=/path/to/chromium node tests/tools/draw-public-images.mjs
 *
 * If `pngquant` and `optipng` are installed, they more than halve the files.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";

const root = new URL("../../", import.meta.url);
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, root));
const dataUrl = (/** @type {string} */ name, /** @type {string} */ type) =>
  `data:${type};base64,${readFileSync(path(name)).toString("base64")}`;

const fraunces = dataUrl("app/styles/typefaces/fraunces.woff2", "font/woff2");
const cover = dataUrl("app/features/landing/art/cover.svg", "image/svg+xml");
const favicon = readFileSync(path("public/favicon.svg"), "utf8");

const shareCard = `<!doctype html>
<style>
  @font-face { font-family: Fraunces; font-weight: 100 900; src: url(${fraunces}) }
  * { margin: 0; box-sizing: border-box }
  body { width: 1200px; height: 630px; overflow: hidden; background: #fdf9f1; color: #211d18;
    font-family: Fraunces; position: relative }
  h1 { position: absolute; left: 80px; top: 96px; font-size: 134px; font-weight: 400;
    line-height: .96; letter-spacing: -.03em }
  p { position: absolute; left: 84px; top: 412px; width: 560px; font-size: 34px; font-weight: 350;
    line-height: 1.3; color: #574e43 }
  p + p { top: 528px; font-size: 26px; color: #8a5a0b }
  svg { position: absolute; inset: 0 }
  .book { position: absolute; left: 760px; top: 51px; width: 352px; height: 528px;
    border-radius: 3px 6px 6px 3px; overflow: hidden; background: url(${cover}) center / cover;
    color: #fdf9f1; box-shadow: 0 30px 50px -24px rgb(33 29 24 / .5) }
  .book::before { content: ""; position: absolute; inset: 0; background:
    linear-gradient(90deg, rgb(0 0 0 / .28), rgb(255 255 255 / .14) 1.5%, rgb(0 0 0 / .22) 3.5%, transparent 8%) }
  .book b { position: absolute; left: 38px; top: 62px; font-weight: 400; font-size: 65px;
    line-height: .98; letter-spacing: -.02em }
  .book i { position: absolute; left: 39px; top: 34px; font-style: normal; font-size: 19px;
    letter-spacing: .04em; color: #f6e3b4 }
</style>
<svg viewBox="0 0 1200 630" fill="none" stroke="#e9b44c" stroke-width="3">
  <circle cx="350" cy="344" r="7" fill="#e9b44c" stroke="none"/>
  <path d="M350 344c90 0 130 26 220 22 110-6 120-82 240-88 190-10 360 40 360 160 0 90-40 130-40 192"/>
</svg>
<h1>The Golden<br>Path</h1>
<p>A calm and practical guide to finding what matters.</p>
<p>Maren Ashdown</p>
<div class="book"><i>Maren Ashdown</i><b>The<br>Golden<br>Path</b></div>`;

/** Podcast apps show it as small as a stamp; Apple asks for a square of at least 1,400 pixels. */
const podcastCover = `<!doctype html>
<style>
  @font-face { font-family: Fraunces; font-weight: 100 900; src: url(${fraunces}) }
  * { margin: 0; box-sizing: border-box }
  body { width: 1400px; height: 1400px; overflow: hidden; font-family: Fraunces; color: #fdf9f1;
    background: url(${cover}) center bottom / cover; padding: 130px 120px }
  p { font-size: 64px; letter-spacing: .04em; color: #f6e3b4 }
  h1 { margin-top: 30px; font-size: 212px; font-weight: 400; line-height: .96; letter-spacing: -.025em }
</style>
<p>Maren Ashdown</p><h1>The<br>Golden<br>Path</h1>`;

/** In the shape that shops for e-books ask for. */
const bookCover = `<!doctype html>
<style>
  @font-face { font-family: Fraunces; font-weight: 100 900; src: url(${fraunces}) }
  * { margin: 0; box-sizing: border-box }
  body { width: 1600px; height: 2560px; overflow: hidden; background: url(${cover}) center bottom / cover;
    color: #fdf9f1; font-family: Fraunces; position: relative }
  p, h1 { position: absolute; left: 150px; font-weight: 400 }
  p { top: 190px; font-size: 76px; letter-spacing: .04em; color: #f6e3b4 }
  h1 { top: 320px; font-size: 300px; line-height: .98; letter-spacing: -.02em }
</style>
<p>Maren Ashdown</p>
<h1>The<br>Golden<br>Path</h1>`;

/** The favicon's drawing without its rounded corners: phones cut icons to their own shape. */
const icon = (
  /** @type {number} */ size,
) => `<!doctype html><style>* { margin: 0 } svg { display: block }</style>
  ${favicon.replace("<svg ", `<svg width="${size}" height="${size}" `).replace(' rx="14"', "")}`;
const tabIcon = `<!doctype html><style>* { margin: 0 } svg { display: block }</style>
  ${favicon.replace("<svg ", '<svg width="32" height="32" ')}`;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH });
const page = await browser.newPage();

/**
 * Renders HTML in a window of this size, in CSS pixels.
 *
 * @param {string} html
 * @param {number} width
 * @param {number} height
 * @param {import("playwright").PageScreenshotOptions} [format]
 */
async function draw(html, width, height, format = { omitBackground: true }) {
  await page.setViewportSize({ width, height });
  await page.setContent(html);
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot(format);
}

/** @type {[string, string, number, number][]} */
const images = [
  ["share.png", shareCard, 1200, 630],
  ["apple-touch-icon.png", icon(180), 180, 180],
  ["icon-192.png", icon(192), 192, 192],
  ["icon-512.png", icon(512), 512, 512],
];
for (const [name, html, width, height] of images) {
  const file = path(`public/${name}`);
  writeFileSync(file, await draw(html, width, height));
  spawnSync("pngquant", ["--force", "--strip", "--speed", "1", "--output", file, "256", file]);
  spawnSync("optipng", ["-quiet", "-o5", file]);
}
const photograph = { type: /** @type {const} */ ("jpeg"), quality: 82 };
writeFileSync(path("public/podcast-cover.jpg"), await draw(podcastCover, 1400, 1400, photograph));
writeFileSync(path("public/favicon.ico"), asIco(await draw(tabIcon, 32, 32), 32));
await page.setViewportSize({ width: 1600, height: 2560 });
await page.setContent(bookCover);
await page.evaluate(() => document.fonts.ready);
await page.screenshot({
  path: path("app/features/library/book-files/cover.jpg"),
  type: "jpeg",
  quality: 72,
});
await browser.close();

/**
 * An .ico file that holds one PNG (the directory is 6 bytes, its one entry 16).
 *
 * @param {Buffer} png
 * @param {number} size its width and height in pixels
 */
function asIco(png, size) {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
