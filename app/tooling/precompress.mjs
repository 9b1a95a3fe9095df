// Writes a brotli and a gzip copy beside each built asset, so that no request waits for compression.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const assets = fileURLToPath(new URL("../../public/build", import.meta.url));

/** Fonts and images are compressed already. */
const COMPRESSIBLE = /\.(js|css|svg|json|txt|map)$/;

for (const file of readdirSync(assets, { recursive: true, encoding: "utf8" })) {
  const path = join(assets, file);
  if (!COMPRESSIBLE.test(file) || !statSync(path).isFile()) continue;
  const bytes = readFileSync(path);
  const copies = {
    ".br": brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
    ".gz": gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
  };
  for (const [ending, copy] of Object.entries(copies)) {
    if (copy.byteLength < bytes.byteLength) writeFileSync(path + ending, copy);
    else rmSync(path + ending, { force: true });
  }
}
