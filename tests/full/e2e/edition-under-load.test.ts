import { Agent } from "node:http";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profiles, users } from "~db/schema";
import { eventually } from "../../support/eventually";
import { send } from "../../support/http-client";
import { type EditionFiles, editionFolder, editionText, writeEdition } from "../../support/library";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

const REQUESTS_PER_SECOND = 60;

/** Maximum number of unanswered requests; a busy machine gets fewer per second. */
const MAX_IN_FLIGHT = 32;

/** Enough texts for an import to take longer than a request. */
const CHAPTERS = 40;

const chapters = (words: string): EditionFiles =>
  Object.fromEntries(
    Array.from({ length: CHAPTERS }, (_, index) => [
      `chapters/${index + 1}-chapter-${index + 1}.md`,
      editionText(
        { title: `Chapter ${index + 1}`, summary: "S.", order: index + 1, public: index === 0 },
        `${words}\n\n${"A hill is mostly *patience*. ".repeat(120)}`,
      ),
    ]),
  );

const folder = editionFolder(chapters("The first edition."));
/** A second less than the site keeps a connection, so requests do not cross with its end, which would reset them. */
const KEEP_ALIVE_MS = 4_000;

// without its own timeout, Node's agent ignores the one in Keep-Alive
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: KEEP_ALIVE_MS });
let site: ProgramSite;
let cookie: string;

beforeAll(async () => {
  site = await startProgramSite({ CONTENT_DIR: folder.path, RATE_LIMIT_FACTOR: "10000" });
  const visitor = site.visitor();
  await visitor.signUp("member@example.test");
  ({ cookie } = visitor);
  const { db } = site.database;
  const [user] = await db.select().from(users).where(eq(users.email, "member@example.test"));
  await db
    .update(profiles)
    .set({ stripePriceId: "price_1", stripeCurrentPeriodEnd: new Date(Date.now() + 86_400_000) })
    .where(eq(profiles.id, user?.id ?? ""));
  await served("The first edition.");
});

afterAll(async () => {
  agent.destroy();
  await site?.close();
  folder.remove();
});

const served = (words: string) =>
  eventually(
    async () => expect((await send(`${site.origin}/preview/chapter-1`)).text).toContain(words),
    { timeout: 60_000, interval: 200 },
  );

const outputSince = (start: number) => site.program.output().slice(start);

/** Sends requests at a steady pace while earlier ones are answered. `stop` resolves with the outcome of each. */
function startRequests(): { stop: () => Promise<string[]> } {
  const asked = [
    { path: "/" },
    { path: "/preview/chapter-1" },
    { path: "/premium/chapters/chapter-7", cookie },
    { path: "/auth" },
    { path: "/premium/chapters", cookie },
    { path: "/sitemap.xml" },
  ];
  const answers: Promise<string>[] = [];
  let inFlight = 0;
  const timer = setInterval(() => {
    if (inFlight >= MAX_IN_FLIGHT) return;
    inFlight += 1;
    const { path, cookie: sent } = asked[answers.length % asked.length] ?? { path: "/" };
    answers.push(
      send(site.origin + path, { cookie: sent, agent })
        .then(
          ({ status, text }) => {
            const isWhole = path === "/sitemap.xml" || text.includes("</html>");
            return status === 200 && isWhole ? "200" : `${path}: ${status}, whole: ${isWhole}`;
          },
          (error: Error) => `${path}: ${error.message}`,
        )
        .finally(() => {
          inFlight -= 1;
        }),
    );
  }, 1_000 / REQUESTS_PER_SECOND);
  return {
    stop: () => {
      clearInterval(timer);
      return Promise.all(answers);
    },
  };
}

describe("an edition that is replaced under load", () => {
  it("fails no request, neither when it is broken nor when it is fixed; the log names file and line", {
    timeout: 180_000,
  }, async () => {
    const start = site.program.output().length;
    const requests = startRequests();
    let answers: string[];
    try {
      writeEdition(folder.path, {
        ...chapters("The broken edition."),
        "chapters/7-chapter-7.md": editionText(
          { title: "Chapter 7", summary: "S.", order: "seven" },
          "![A picture](nowhere.png)",
        ),
      });
      await eventually(
        () => expect(outputSince(start)).toContain("the last good edition is served"),
        { timeout: 60_000 },
      );
      expect(outputSince(start)).toContain("cannot be taken: chapters/7-chapter-7.md:4: order: ");
      await served("The first edition.");
      writeEdition(folder.path, chapters("The fixed edition."));
      await served("The fixed edition.");
    } finally {
      answers = await requests.stop();
    }
    // each change is imported after two quiet seconds; a busy machine answers a quarter of the requests
    expect(answers.length).toBeGreaterThan(4 * REQUESTS_PER_SECOND * 0.25);
    expect(answers.filter((answer) => answer !== "200")).toEqual([]);
  });
});
