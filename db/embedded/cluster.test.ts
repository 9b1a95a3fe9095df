import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureCluster } from "./cluster";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "golden-path-initdb-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it.skipIf(process.platform === "win32")(
  "says why initdb failed, not that it cleaned up",
  async () => {
    const initdb = join(dataDir, "initdb");
    const output =
      "child process was terminated by signal 9: Killed\ninitdb: removing data directory";
    writeFileSync(initdb, `#!/bin/sh\necho '${output}' >&2\nexit 1\n`, { mode: 0o755 });
    const creating = ensureCluster({
      dataDir,
      directory: join(dataDir, "postgres"),
      logFile: join(dataDir, "postgres.log"),
      binaries: { initdb, postgres: "", pgCtl: "", majorVersion: 18 },
      user: null,
      settings: {},
    });
    await expect(creating).rejects.toThrow(
      `could not create its database in ${dataDir}: child process was terminated by signal 9: Killed. If`,
    );
  },
);
