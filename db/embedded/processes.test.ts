import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { identify } from "./processes";

it.runIf(process.platform === "linux")(
  "knows a process by its folder, whatever its path is called",
  async () => {
    const parent = mkdtempSync(join(tmpdir(), "golden-path-process-"));
    const folder = join(parent, "postgres");
    mkdirSync(folder);
    symlinkSync(folder, join(parent, "link"));
    const child = spawn("sleep", ["60"], { cwd: folder });
    onTestFinished(async () => {
      child.kill();
      rmSync(parent, { recursive: true });
    });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    expect(await identify(pid, folder)).toBe("ours");
    expect(await identify(pid, join(parent, "link"))).toBe("ours");
    expect(await identify(pid, `/proc/${pid}/cwd`)).toBe("ours");
    expect(await identify(pid, parent)).toBe("other");
  },
);
