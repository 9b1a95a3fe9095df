import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NODE_VARIABLES } from "../../../app/tooling/node-flags.mjs";
import { send } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

/** Of 4 KiB, that a hash's 19 MiB are. */
const PAGES_OF_A_HASH = 4_864;

let site: ProgramSite;

beforeAll(async () => {
  // as in the container, but for its large pages, of which there are too few to count
  site = await startProgramSite({
    RATE_LIMIT_FACTOR: "100000",
    ...NODE_VARIABLES,
    GLIBC_TUNABLES: "",
  });
});
afterAll(() => site?.close());

/** How often the system has given the program a page of memory (proc(5), stat: minflt). */
function pagesGiven(): number {
  const stat = readFileSync(`/proc/${site.program.pid}/stat`, "utf8");
  return Number(stat.split(") ")[1]?.split(" ")[7]);
}

async function logIn() {
  const answer = await send(`${site.origin}/auth/login`, {
    json: { email: "nobody@example.test", password: "guess" },
    headers: { Origin: site.origin },
  });
  expect(answer.status).toBe(401);
}

async function logInInPairs(pairs: number) {
  for (let i = 0; i < pairs; i++) await Promise.all([logIn(), logIn()]);
}

it.runIf(process.platform === "linux")(
  "log-ins at the same time use the memory of those before",
  async () => {
    await logInInPairs(10);
    const before = pagesGiven();
    await logInInPairs(20);
    expect((pagesGiven() - before) / 40).toBeLessThan(PAGES_OF_A_HASH / 20);
  },
);
