import { execFile } from "node:child_process";
import { promisify } from "node:util";
import argon2 from "argon2";
import { build } from "esbuild";
import { expect, it, vi } from "vitest";
import { keepHashMemory } from "./hash-memory.server";

/** Of 4 KiB, that a hash's 19 MiB are. */
const PAGES_OF_A_HASH = 4_864;

/** Prints how many pages of memory the system gave for each of some hashes, made two at a time. */
const HASHES = `
  import argon2 from "argon2";
  import { keepHashMemory } from "./hash-memory.server";

  const options = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  const hashInPairs = async (pairs) => {
    for (let i = 0; i < pairs; i++)
      await Promise.all([argon2.hash("one", options), argon2.hash("another", options)]);
  };
  await argon2.hash("before", options);
  await keepHashMemory();
  await hashInPairs(5);
  const before = process.resourceUsage().minorPageFault;
  await hashInPairs(10);
  console.log((process.resourceUsage().minorPageFault - before) / 20);
`;

it.runIf(process.platform === "linux")(
  "hashes use the memory of those before",
  { timeout: 30_000 },
  async () => {
    const { outputFiles } = await build({
      stdin: { contents: HASHES, resolveDir: import.meta.dirname },
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      write: false,
    });
    const program = outputFiles[0]?.text ?? "";
    // as in the container, but for its large pages, of which there are too few to count
    const env = { ...process.env, MALLOC_ARENA_MAX: "1", GLIBC_TUNABLES: "" };
    const parameters = ["--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, parameters, { env });
    expect(Number(stdout)).toBeLessThan(PAGES_OF_A_HASH / 20);
  },
);

it("does without where there is not as much memory", async () => {
  const hash = vi.spyOn(argon2, "hash").mockRejectedValue(new Error("Memory allocation error"));
  await expect(keepHashMemory()).resolves.toBeUndefined();
  expect(hash).toHaveBeenCalledOnce();
  hash.mockRestore();
});
