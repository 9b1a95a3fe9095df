import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../support/program";

let folder: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => folder.remove());

/** The secrets of a process of its own, since each reads them once. */
async function secretsOf(dataDir: string): Promise<string[]> {
  vi.resetModules();
  const { setEnvironment } = await import("~/env.server");
  setEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const { sessionSecrets } = await import("~/http/session-secrets.server");
  return sessionSecrets();
}

it("a secret that was drawn at the first start is kept", async () => {
  const [secret, ...more] = await secretsOf(folder.path);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(more).toEqual([]);
  expect(await secretsOf(folder.path)).toEqual([secret]);
});

it("a secret that was cut short is refused, with what to do about it", async () => {
  const file = join(folder.path, "session-secret");
  writeFileSync(file, "half of a secret\n", { mode: 0o600 });
  await expect(secretsOf(folder.path)).rejects.toThrow(
    `The session secret in ${file} is shorter than 32 characters: put back the one that was there, or delete the file,`,
  );
});
