import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOT_DURABLE } from "../../support/embedded-program";
import { isServerRunning, keepRow, sentence, setEmbeddedScene } from "../../support/embedded-scene";

const { cleanUpWith, dataDirectory, emptyDirectory, serve, start } = setEmbeddedScene();

describe("two programs on one data directory", () => {
  it("do not both serve: the second says why, and the first continues", async () => {
    const dataDir = await dataDirectory();
    const first = await serve(dataDir);
    expect(await sentence(start({ dataDir, purpose: "serve" }).opened)).toBe(
      `Another program already serves from DATA_DIR ${dataDir}: stop it first, or start this one with another DATA_DIR (and PORT).`,
    );
    await keepRow(first.url, "still here");
  });

  it("share the server when one is a command, which leaves it running", async () => {
    const dataDir = await dataDirectory();
    const server = await serve(dataDir);
    const command = start({ dataDir, purpose: "command" });
    expect(await command.opened).toEqual({ url: server.url, ...server.server() });
    await command.stop();
    expect(await isServerRunning(dataDir)).toBe(true);
    await keepRow(server.url, "still here");
  });

  it("leave the server to the command that outlives the one that served", async () => {
    const dataDir = await dataDirectory();
    const server = await serve(dataDir);
    const command = start({ dataDir, purpose: "command" });
    await command.opened;
    await server.stop();
    expect(await isServerRunning(dataDir)).toBe(true);
    await command.stop();
    expect(await isServerRunning(dataDir)).toBe(false);
  });

  it("can start concurrently: one serves, and the commands use the same data", async () => {
    const dataDir = await emptyDirectory();
    const programs = [
      start({ dataDir, purpose: "serve", settings: NOT_DURABLE }),
      start({ dataDir, purpose: "serve", settings: NOT_DURABLE }),
      start({ dataDir, purpose: "command", settings: NOT_DURABLE }),
    ];
    const results = await Promise.allSettled(programs.map(({ opened }) => opened));
    const opened = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    expect(opened).toHaveLength(2);
    expect(opened[0]).toEqual(opened[1]);
    expect(
      results.flatMap((result) => (result.status === "rejected" ? [result.reason.message] : [])),
    ).toEqual([expect.stringContaining(`Another program already serves from DATA_DIR ${dataDir}`)]);

    await Promise.all(programs.map((started) => started.stop()));
    expect(await isServerRunning(dataDir)).toBe(false);
    expect(await readdir(dataDir)).toEqual(["postgres", "postgres.log"]);
  });

  it("do not both serve from two machines or containers either", async () => {
    const dataDir = await emptyDirectory();
    const sign = join(dataDir, "postgres.host");
    await writeFile(sign, "elsewhere");
    const beating = setInterval(() => void utimes(sign, new Date(), new Date()), 300);
    cleanUpWith(() => clearInterval(beating));
    expect(await sentence(serve(dataDir))).toContain(
      `DATA_DIR ${dataDir} is in use by a program on another machine or in another container (elsewhere)`,
    );
  });

  it("take over at once from a machine whose heartbeat is long stale", async () => {
    const dataDir = await dataDirectory();
    const sign = join(dataDir, "postgres.host");
    await writeFile(sign, "elsewhere");
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(sign, longAgo, longAgo);
    await serve(dataDir, { settings: NOT_DURABLE });
    expect(await readFile(sign, "utf8")).not.toBe("elsewhere");
  });
});
