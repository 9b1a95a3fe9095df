import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { clearCurrentEdition, currentEdition } from "~/features/library/current-edition.server";
import { editionState } from "~/features/library/importer/edition-state.server";
import { startEditionWatch } from "~/features/library/importer/watch-edition.server";
import { mediaName } from "~/features/library/media-name";
import { findMedia } from "~/features/library/media-store.server";
import { getDatabase } from "~db/client";
import { findDocumentHtml, findStoredFiles } from "~db/queries/editions";
import { eventually } from "../../support/eventually";
import {
  type EditionFiles,
  editionFolder,
  editionText,
  SMALL_EDITION,
  writeEdition,
} from "../../support/library";
import { watchLog } from "../../support/log";
import { testSite } from "../../support/site";
import { silentMp3 } from "../../support/sounds";

const chapter = (title: string, body?: string): EditionFiles => ({
  "chapters/01-gates.md": editionText({ title, summary: "S.", order: 1 }, body),
});

const BROKEN = { "chapters/01-gates.md": "---\ntitle: Gates\norder: one\n---\n\nText.\n" };

testSite();
const sample = editionFolder(chapter("The sample"));
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  clearCurrentEdition();
  await getDatabase().db.execute(sql`truncate editions cascade`);
});

afterAll(() => sample.remove());

function folderOf(files: EditionFiles): string {
  const folder = editionFolder(files);
  endings.push(folder.remove);
  return folder.path;
}

/** Starts watching a folder; the returned function stops it, as does the end of the test. */
function watch(folder: string, { isFolderSet = false } = {}): () => Promise<void> {
  const stop = startEditionWatch({
    folder,
    isFolderSet,
    sampleFolder: sample.path,
    intervalMs: 20,
  });
  endings.push(stop);
  return stop;
}

const titles = () =>
  currentEdition()
    ?.chapters(new Date())
    .map(({ title }) => title);

const served = (title: string) => eventually(() => expect(titles()?.[0]).toBe(title));

const textOf = async (slug: string) =>
  (await findDocumentHtml(currentEdition()?.digest ?? "", slug)) ?? "";

describe("the edition that is served", () => {
  it("is the folder's, and follows each change", async () => {
    const log = watchLog();
    const folder = folderOf(SMALL_EDITION);
    watch(folder);
    await served("Gates");
    expect(log).toContainEqual({
      level: "info",
      message: "edition taken",
      facts: expect.objectContaining({ folder, chapters: 2, extras: 1 }),
    });

    writeEdition(folder, chapter("Walls"));
    await served("Walls");
    rmSync(join(folder, "chapters/02-hills.md"));
    rmSync(join(folder, "extras"), { recursive: true });
    await eventually(() => expect(titles()).toEqual(["Walls"]));
    expect(currentEdition()?.extras(new Date())).toEqual([]);
  });

  it("is the sample edition while the folder is missing or has no edition", async () => {
    const folder = join(folderOf({}), "content");
    watch(folder);
    await served("The sample");
    mkdirSync(folder);
    writeFileSync(join(folder, "README.txt"), "Here will be a book.");
    writeEdition(folder, chapter("Gates"));
    await served("Gates");
    rmSync(folder, { recursive: true });
    await served("The sample");
  });

  it("stays the same when a change breaks it, and the log names file and line", async () => {
    const folder = folderOf(SMALL_EDITION);
    watch(folder);
    await served("Gates");
    const before = currentEdition();
    const log = watchLog();
    writeEdition(folder, {
      ...BROKEN,
      "chapters/02-hills.md": editionText(
        { title: "Hills", summary: "S.", order: 2 },
        "See [a wall](04-walls.md).",
      ),
    });
    const messages = () => log.map(({ message }) => message);
    await eventually(() => expect(messages()).toHaveLength(3));
    expect(messages()).toEqual([
      expect.stringContaining("cannot be taken: chapters/01-gates.md:3: order: "),
      expect.stringContaining("cannot be taken: chapters/02-hills.md:7: "),
      "'content check' lists all of them; the last good edition is served",
    ]);
    expect(currentEdition()).toBe(before);
    expect(editionState()).toBe("not-taken");

    writeEdition(folder, SMALL_EDITION);
    // the same edition as before needs no log line
    await eventually(() => expect(currentEdition()?.digest).toBe(before?.digest));
    writeEdition(folder, chapter("Fixed"));
    await served("Fixed");
    await eventually(() => expect(editionState()).toBe("taken"));
  });

  it("is the last good one after a restart, whatever happened to the folder", async () => {
    const folder = folderOf(chapter("Gates"));
    await watch(folder);
    await served("Gates");
    await endings.pop()?.();

    for (const breakFolder of [
      () => writeEdition(folder, BROKEN),
      () => rmSync(folder, { recursive: true }),
    ]) {
      breakFolder();
      clearCurrentEdition();
      const log = watchLog();
      const stop = watch(folder, { isFolderSet: true });
      await served("Gates");
      await eventually(() => expect(log.some(({ level }) => level === "error")).toBe(true));
      expect(titles()).toEqual(["Gates"]);
      await stop();
      vi.restoreAllMocks();
    }
  });

  it("stays when the operator's folder disappears, which is logged", async () => {
    const folder = folderOf(chapter("Gates"));
    watch(folder, { isFolderSet: true });
    await served("Gates");
    const log = watchLog();
    renameSync(folder, `${folder}-away`);
    await eventually(() => expect(log).toHaveLength(1));
    expect(log[0]?.message).toBe(
      `CONTENT_DIR: there is no edition in ${folder}; the last good one is served`,
    );
    expect(titles()).toEqual(["Gates"]);
    renameSync(`${folder}-away`, folder);
    writeEdition(folder, chapter("Back"));
    await served("Back");
  });

  it.each(["begins", "goes on"])("waits for a database that fails when it %s", async (moment) => {
    const folder = folderOf(chapter("Gates"));
    let stop = watch(folder);
    await served("Gates");
    if (moment === "begins") {
      await stop();
      clearCurrentEdition();
    }
    const log = watchLog();
    await getDatabase().db.execute(sql`alter table editions rename to away`);
    try {
      writeEdition(folder, moment === "begins" ? BROKEN : chapter("Walls"));
      if (moment === "begins") stop = watch(folder);
      await eventually(() => expect(log).toHaveLength(1));
      expect(log[0]).toMatchObject({
        level: "error",
        message: "the edition could not be read; it will be tried again",
      });
    } finally {
      await getDatabase().db.execute(sql`alter table away rename to editions`);
    }
    await served(moment === "begins" ? "Gates" : "Walls");
    // not the sample edition, although the folder is broken
    if (moment === "begins") {
      await eventually(() =>
        expect(log.some(({ message }) => message.includes("01-gates.md"))).toBe(true),
      );
      expect(titles()).toEqual(["Gates"]);
    }
  });

  it("is deleted with its files a day after its last use by any instance", async () => {
    const folder = folderOf({
      ...chapter("Gates"),
      "extras/mile.md": editionText({
        ...{ title: "Mile", summary: "S.", order: 1, kind: "audio-walk", audio: "mile.mp3" },
      }),
      "extras/mile.mp3": silentMp3(2),
    });
    watch(folder);
    await served("Gates");
    const old = currentEdition()?.digest;
    const [sound] = await findStoredFiles();
    if (!sound) throw new Error("There is no sound.");
    const count = async () =>
      (await getDatabase().db.execute(sql`select digest from editions`)).length;

    rmSync(join(folder, "extras"), { recursive: true });
    writeEdition(folder, chapter("Walls"));
    await served("Walls");
    expect(await count()).toBe(2);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 3_600_000 });
    await eventually(async () => expect(await count()).toBe(1));
    expect(await findDocumentHtml(old ?? "", "gates")).toBeNull();
    await eventually(async () => expect(await findMedia(mediaName(sound))).toBeNull());
    expect(await textOf("gates")).toContain("There is a gate");
  });
});

describe("files from other systems", () => {
  it("may begin with a byte order mark and have Windows line ends", async () => {
    const text = editionText(
      { title: "Gates", summary: "S.", order: 1 },
      "A gate.\n\nAnd a [b][].\n\n[b]: https://b.example",
    );
    watch(folderOf({ "chapters/01-gates.md": `\ufeff${text.replaceAll("\n", "\r\n")}` }));
    await served("Gates");
    expect(await textOf("gates")).toContain('<a href="https://b.example"');
    expect(await textOf("gates")).not.toContain("\r");
  });

  it("may be links, even circular ones, but a broken link is a mistake", async () => {
    const elsewhere = folderOf(SMALL_EDITION);
    const folder = folderOf({});
    symlinkSync(join(elsewhere, "chapters"), join(folder, "chapters"));
    symlinkSync(join(elsewhere, "extras"), join(folder, "extras"));
    symlinkSync(elsewhere, join(elsewhere, "chapters/round"));
    symlinkSync("round", join(elsewhere, "chapters/around"));
    watch(folder);
    await served("Gates");
    expect(currentEdition()?.extras(new Date())).toHaveLength(1);

    const log = watchLog();
    symlinkSync("nowhere.md", join(elsewhere, "chapters/05-nowhere.md"));
    await eventually(() =>
      expect(log[0]?.message).toContain("chapters/05-nowhere.md: cannot be read (ENOENT)"),
    );
  });
});
