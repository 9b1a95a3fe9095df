import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "~db/client";
import { startBalancer } from "../support/balancer";
import { eventually } from "../support/eventually";
import { Visitor } from "../support/http-client";
import { type Pooler, startPooler } from "../support/pgbouncer";
import { freePorts } from "../support/ports.mjs";
import { type Program, startProgram, temporaryDirectory } from "../support/program";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../support/replicated-postgres";
import { serverProgram, unlessInstalled } from "../support/server-programs.mjs";
import { SimulatedVisitors } from "../support/simulated-visitors";

/** Writes that are acknowledged before, between and after the failures. */
const WRITES = 40;
/** The requirement: service recovers without intervention within this time. */
const MOST_AWAY_MS = 10_000;
/** From the loss of a primary to its standby's promotion. Tools such as Patroni take longer to be sure. */
const UNTIL_PROMOTION_MS = 2_000;
/** From the end of a program to its restart by its supervisor, as systemd's RestartSec. */
const SUPERVISOR_MS = 100;

const SECRET = "0d6f5c9a1e4b7382c5d0f6a9b3e8174260fbc9d5a7e31842";

const canTest = serverProgram("pgbouncer") !== null;

/**
 * compose.scale.yaml on one machine: a primary and a synchronous standby, each with a PgBouncer; two sites that share
 * nothing else; Caddy with its configuration for several sites. Without Caddy, visitors alternate between the sites.
 */
describe.skipIf(!canTest)(
  `two sites on a primary and its standby${unlessInstalled("pgbouncer")}`,
  () => {
    let postgres: ReplicatedPostgres;
    let poolers: [Pooler, Pooler];
    let sites: Program[];
    let origins: string[];
    const folders = [temporaryDirectory(), temporaryDirectory()];
    let balancer: Awaited<ReturnType<typeof startBalancer>> | null = null;
    let publicUrl: string;

    const siteVisitor = (index: number) =>
      new Visitor(origins[index % 2] ?? "", { Host: new URL(publicUrl).host }, publicUrl);
    const visitors = new SimulatedVisitors((index) =>
      balancer ? new Visitor(publicUrl) : siteVisitor(index),
    );

    const startSite = (index: number) =>
      startProgram({
        variables: {
          PORT: new URL(origins[index] ?? "").port,
          DATA_DIR: folders[index]?.path ?? "",
          DATABASE_URL: postgres.url(poolers.map(({ host }) => host)),
          SESSION_SECRET: SECRET,
          PUBLIC_URL: publicUrl,
          TRUST_PROXY: "1",
          LOG_LEVEL: "warn",
        },
      });

    beforeAll(async () => {
      postgres = await startReplicatedPostgres();
      poolers = [
        await startPooler(postgres.primary.port),
        await startPooler(postgres.standby.port),
      ];
      const port = await freePorts(3);
      origins = [`http://localhost:${port}`, `http://localhost:${port + 1}`];
      publicUrl = `http://localhost:${port + 2}`;
      sites = await Promise.all([startSite(0), startSite(1)]);
      if (serverProgram("caddy")) balancer = await startBalancer(port + 2, [port, port + 1]);
      await visitors.signUp();
      visitors.start();
      await visitors.waitForWrites(WRITES);
    });
    afterAll(async () => {
      await visitors.stop();
      await balancer?.stop();
      await Promise.all(sites?.map((site) => site.stop()) ?? []);
      for (const pooler of poolers ?? []) await pooler.remove();
      await postgres?.remove();
      for (const folder of folders) folder.remove();
    });

    it("keep working when one is killed", async () => {
      const since = Date.now();
      await sites[0]?.stop("SIGKILL");
      await pause(SUPERVISOR_MS);
      sites[0] = await startSite(0);
      const restartMs = Date.now() - since;
      await visitors.waitForWrites(WRITES);
      report(
        "kill -9 of a site",
        visitors.longestOutageSince(since),
        `, itself back after ${restartMs} ms`,
      );
      expect(visitors.longestOutageSince(since)).toBeLessThan(MOST_AWAY_MS);
    });

    it("keep working when PgBouncer is killed", async () => {
      const since = Date.now();
      await poolers[0].kill();
      await pause(SUPERVISOR_MS);
      await poolers[0].start();
      await visitors.waitForWrites(WRITES);
      report("kill -9 of PgBouncer", visitors.longestOutageSince(since));
      expect(visitors.longestOutageSince(since)).toBeLessThan(MOST_AWAY_MS);
    });

    it("recover when the primary is killed and the standby promoted, and answer meanwhile", async () => {
      await postgres.primary.stop("SIGKILL");
      const killedAt = Date.now();
      await pause(UNTIL_PROMOTION_MS / 2);
      const visitor = siteVisitor(1);
      const [page, form] = await Promise.all([
        visitor.get("/"),
        visitor.post("/newsletter", { form: { email: "during@example.test" } }),
      ]);
      expect(page.status).toBe(200);
      expect(form.status).toBe(303);
      await pause(killedAt + UNTIL_PROMOTION_MS - Date.now());
      await postgres.standby.promote();
      const promotedAt = Date.now();
      for (const index of [0, 1]) {
        const json = { email: `after-${index}@example.test` };
        await eventually(async () =>
          expect((await siteVisitor(index).post("/newsletter", { json })).status).toBe(200),
        );
      }
      const backMs = Date.now() - promotedAt;
      await visitors.waitForWrites(WRITES);
      report(
        "kill -9 of the primary",
        visitors.longestOutageSince(killedAt),
        `, both sites back ${backMs} ms after the promotion`,
      );
      expect(backMs).toBeLessThan(MOST_AWAY_MS);
      const answer = await visitor.get("/");
      expect(answer.text).toContain('value="during@example.test"');
    });

    it("have lost no acknowledged write, and signed nobody out", async () => {
      await visitors.stop();
      const rows = await postgres.standby.ask("select 1 where pg_is_in_recovery()");
      expect(rows).toEqual([]);
      const stored = await storedAddresses();
      const lost = visitors.acknowledged.filter(({ email }) => !stored.has(email));
      expect(lost).toEqual([]);
      expect(visitors.acknowledged.length).toBeGreaterThan(4 * WRITES);
      for (const [index, member] of visitors.members.entries()) {
        const there = siteVisitor(index);
        there.cookie = member.cookie;
        expect((await there.get("/")).text).toContain(member.email);
      }
      expect(visitors.signedOut).toEqual([]);
      console.log(
        `several machines: ${visitors.acknowledged.length} writes acknowledged, ${visitors.failed} not, none lost; ${visitors.members.length} visitors signed in throughout`,
      );
    });

    async function storedAddresses(): Promise<Set<string>> {
      const database = openDatabase(postgres.url([postgres.standby.host]));
      try {
        const rows = await database.db.execute<{ email: string }>(
          sql`select email from subscribers`,
        );
        return new Set(rows.map(({ email }) => email));
      } finally {
        await database.close();
      }
    }
  },
);

function report(what: string, awayMs: number, more = ""): void {
  console.log(`several machines: ${what}: no write for ${awayMs} ms${more}`);
}
