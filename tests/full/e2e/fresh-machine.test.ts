import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { end, FreshMachine } from "../../support/fresh-machine";
import { freePorts } from "../../support/ports.mjs";

it("an unprivileged user without a compiler or install scripts can start the site and sign up", async (test) => {
  const machine = new FreshMachine();
  test.onTestFinished(() => machine.remove());
  if (!(await machine.canRunNpm())) {
    const reason = "Node.js or npm is in a folder that only root may read.";
    console.warn(`Skipped: ${reason}`);
    test.skip(reason);
  }
  expect(readFileSync(join(machine.project, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
  expect(existsSync(join(machine.project, "node_modules/argon2/build"))).toBe(false);

  const origin = `http://localhost:${await freePorts(1)}`;
  const npm = machine.run(["start"], {
    PORT: new URL(origin).port,
    DATA_DIR: join(machine.project, "data"),
    LOG_LEVEL: "warn",
  });
  const ended = end(npm);
  test.onTestFinished(async () => {
    npm.kill("SIGTERM");
    await ended;
  });
  const page = await eventually(async () => {
    const answer = await fetch(origin).catch(() => null);
    if (answer?.status === 200) return answer.text();
    if (npm.exitCode !== null) return `The site ended:\n${(await ended).output}`;
    throw new Error("The site is not ready.");
  });
  expect(page).toContain("<h1");

  // signing up loads argon2, a native module
  const answer = await fetch(`${origin}/auth/signup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({ email: "reader@example.test", password: "a long walk" }),
  });
  expect(await answer.json()).toMatchObject({ toast: null });

  npm.kill("SIGTERM");
  await ended;
  await eventually(async () => expect(await fetch(origin).catch(() => "gone")).toBe("gone"));
});
