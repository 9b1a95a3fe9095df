import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, type TestContext } from "vitest";
import { end, FreshMachine } from "../../support/fresh-machine";
import { freePorts } from "../../support/ports.mjs";

/** Timeout for the first start, in milliseconds; creating the embedded database takes most of it. */
const START_TIMEOUT_MS = 60_000;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe("an unprivileged user without a compiler", () => {
  it("installs without install scripts, starts the site, and signs up", async (test) => {
    const machine = await freshMachine(test);
    const installed = await machine.install();
    if (installed === null) {
      skip(test, "the npm registry cannot be reached, and npm's cache does not have all packages.");
    }
    expect(installed).toMatchObject({
      code: 0,
      output: expect.stringMatching(/added \d+ packages/),
    });
    // npm would warn about an unapproved install script
    expect(installed?.output).not.toMatch(/script/i);
    expect(existsSync(join(machine.project, "node_modules/argon2/build"))).toBe(false);

    const port = await freePorts(1);
    const origin = `http://localhost:${port}`;
    const npm = machine.run(["start"], {
      PORT: String(port),
      DATA_DIR: join(machine.project, "data"),
      LOG_LEVEL: "warn",
    });
    const ended = end(npm);
    cleanUps.push(() => {
      npm.kill("SIGTERM");
      return ended;
    });
    const page = await firstPage(origin, npm, ended);
    expect(await page.text()).toContain("The Golden Path");

    // signing up loads argon2, a native module
    const answer = await fetch(`${origin}/auth/signup`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: origin },
      body: JSON.stringify({ email: "reader@example.test", password: "a long walk" }),
    });
    expect(await answer.json()).toMatchObject({ redirectTo: "/" });

    npm.kill("SIGTERM");
    await ended;
    await expect.poll(() => fetch(origin).catch(() => "gone")).toBe("gone");
  }, 180_000);
});

async function freshMachine(test: TestContext): Promise<FreshMachine> {
  const machine = new FreshMachine();
  cleanUps.push(() => machine.remove());
  if (!(await machine.canRunNpm())) {
    skip(test, "Node.js or npm is in a folder that only root may read.");
  }
  return machine;
}

function skip(test: TestContext, reason: string): void {
  console.warn(`Skipped: ${reason}`);
  test.skip(reason);
}

/** The landing page, as soon as the site is ready. */
async function firstPage(
  origin: string,
  child: ChildProcess,
  ended: Promise<{ output: string }>,
): Promise<Response> {
  const limit = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < limit) {
    const answer = await fetch(origin).catch(() => null);
    if (answer?.status === 200) return answer;
    await answer?.arrayBuffer();
    if (child.exitCode !== null) throw new Error(`The site ended:\n${(await ended).output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The site did not start in time.");
}
