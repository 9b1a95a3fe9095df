import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listChanges } from "~/features/desk/desk-log.server";
import {
  beginFile,
  discardDraft,
  mayEdit,
  openText,
  publishDraft,
  saveDraft,
  typedIn,
} from "~/features/desk/edition/edition-drafts.server";
import {
  beginWithSample,
  deleteMedia,
  deleteText,
  findEditionMedia,
  listEdition,
  moveText,
  renameText,
  storeUpload,
} from "~/features/desk/edition/edition-files.server";
import { checkEdition, openEdition } from "~/features/desk/edition/edition-folder.server";
import { loadPreviewOf } from "~/features/desk/edition/edition-previews.server";
import { importEdition } from "~/features/library/importer/import-edition.server";
import { mediaName } from "~/features/library/media-name";
import { currentSite } from "~/features/site/current-site.server";
import { findDraftOfFile, findDrafts } from "~db/queries/desk";
import { newAccount } from "../support/accounts";
import { type EditionFiles, editionFolder, editionText, SMALL_EDITION } from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { testSite } from "../support/site";
import { silentMp3 } from "../support/sounds";

const site = testSite();
const GATES = "chapters/01-gates.md";
const HILLS = "chapters/02-hills.md";

let folder: ReturnType<typeof editionFolder>;
let author: Awaited<ReturnType<typeof newAuthor>>;

const newAuthor = async () => ({ ...(await newAccount()), verifiedAt: new Date() });

/** Makes a folder the site's own. */
function use(files: EditionFiles) {
  folder?.remove();
  folder = editionFolder(files);
  site.restoreEnvironment({ CONTENT_DIR: folder.path });
}

beforeEach(async () => {
  author = await newAuthor();
  use(SMALL_EDITION);
});
afterEach(async () => {
  for (const { path, version } of await findDrafts("edition")) {
    await discardDraft(author, path ?? "", String(version));
  }
  folder.remove();
});

const inFolder = (path: string) => readFileSync(join(folder.path, path), "utf8");

async function open(path: string) {
  const text = await openText(await openEdition(), path);
  if (!text) throw new Error(`There is no ${path}.`);
  return text;
}

/** Saves as the editor does: over what it was shown. */
async function save(path: string, content: string, shown?: { version: string; base: string }) {
  const { version, base } = shown ?? (await open(path));
  return saveDraft(author, path, { content, version, base });
}

async function publish(path: string, content: string) {
  const { base } = await open(path);
  const draft = await save(path, content);
  if (!draft) throw new Error("The draft was not saved.");
  return publishDraft(author, await openEdition(), { draft, path, base });
}

describe("a draft", () => {
  it("keeps what is typed with its mistakes, and the file stays until it is saved without one", async () => {
    const before = inFolder(GATES);
    const broken = before.replace("order: 1", "order: one");
    expect(await publish(GATES, broken)).toMatchObject({
      problems: [{ line: 4, problem: expect.stringContaining("order") }],
    });
    expect(inFolder(GATES)).toBe(before);
    expect(await open(GATES)).toMatchObject({ content: broken, version: "1", theirs: null });

    const mended = before.replace("There is a gate", "There is a door");
    expect(await publish(GATES, mended)).toBeNull();
    expect(inFolder(GATES)).toBe(mended);
    expect(await findDraftOfFile(GATES)).toBeNull();
    expect(readdirSync(join(folder.path, "chapters"))).toHaveLength(3);
  });

  it("is in the log once an hour for each who writes in it", async () => {
    const theo = await newAuthor();
    const { base } = await open(GATES);
    await save(GATES, "one", { version: "0", base });
    await save(GATES, "two", { version: "1", base });
    await saveDraft(theo, GATES, { content: "three", version: "2", base });
    const { changes } = await listChanges(1);
    expect(changes.filter(({ by }) => by === theo.email)).toMatchObject([
      { what: `Wrote ${GATES}` },
    ]);
    expect(changes.filter(({ by }) => by === author.email)).toMatchObject([
      { what: `Wrote ${GATES}` },
    ]);
  });

  it("of two authors who edit one chapter is overwritten by neither", async () => {
    const shown = await open(GATES);
    expect(await save(GATES, "mine", shown)).toMatchObject({ version: 1 });
    expect(await save(GATES, "theirs", shown)).toBeNull();
    const [one, other] = await Promise.all([
      save(GATES, "one", { version: "1", base: shown.base }),
      save(GATES, "other", { version: "1", base: shown.base }),
    ]);
    expect([one, other].filter(Boolean)).toHaveLength(1);
    // published by one while the other types
    expect(await publish(GATES, `${inFolder(GATES)}More.\n`)).toBeNull();
    expect(await save(GATES, "late", { version: "2", base: shown.base })).toBeNull();
    const stale = await saveDraft(author, GATES, {
      content: "late",
      version: "0",
      base: shown.base,
    });
    const refused =
      stale &&
      (await publishDraft(author, await openEdition(), {
        draft: stale,
        path: GATES,
        base: shown.base,
      }));
    expect(refused).toMatchObject({ typed: { content: "late", theirs: inFolder(GATES) } });
  });

  it("does not replace a file that was changed by hand, unless its author has seen it", async () => {
    const shown = await open(GATES);
    const draft = await save(GATES, `${shown.content}Mine.\n`, shown);
    writeFileSync(join(folder.path, GATES), `${shown.content}By hand.\n`);
    if (!draft) throw new Error("The draft was not saved.");
    const edition = await openEdition();
    const refused = await publishDraft(author, edition, { draft, path: GATES, base: shown.base });
    expect(refused?.typed?.theirs).toContain("By hand.");
    expect(inFolder(GATES)).toContain("By hand.");
    expect((await open(GATES)).theirs).toContain("By hand.");
    const base = refused?.typed?.base ?? "";
    expect(await publishDraft(author, edition, { draft, path: GATES, base })).toBeNull();
    expect(inFolder(GATES)).toContain("Mine.");
  });

  it("that was written, but not deleted before the program ended, is done", async () => {
    const { content } = await open(GATES);
    await save(GATES, content);
    expect(await open(GATES)).toMatchObject({ version: "0", savedAt: null });
    expect(await findDraftOfFile(GATES)).toBeNull();
  });

  it("begins a text after the last one, and the book has it once it is written", async () => {
    const edition = await openEdition();
    const begin = (title: string) => beginFile(author, edition, { title, kind: "chapter" });
    expect(await begin("Weather")).toBe("chapters/04-weather.md");
    expect(await begin("Home")).toBe("chapters/05-home.md");
    await expect(begin("Weather")).rejects.toThrow(
      "'weather' is the slug of chapters/04-weather.md",
    );
    expect(existsSync(join(folder.path, "chapters/04-weather.md"))).toBe(false);
    const text = editionText({ title: "Weather", order: 4, publish: "2999-01-01" }, "Rain.");
    expect(await publish("chapters/04-weather.md", text)).toBeNull();
    const imported = await importEdition(folder.path);
    expect(imported.find("weather", new Date())).toBeNull();
    expect(await loadPreviewOf(await openEdition(), "chapters/04-weather.md")).toMatchObject({
      text: { label: "Chapter 4", html: expect.stringContaining("Rain.") },
    });
  });

  it("gets what the fields beside it change in its front matter, and nothing else", () => {
    const content = editionText({ title: "Gates", order: 1, public: true });
    const shown = { content, audio: "", "was-publish": "", "was-audio": "", "was-public": "on" };
    const time = { publish: "from", from: "2026-12-01T08:00" };
    expect(typedIn({ ...shown, ...time, audio: "a.mp3" }).content).toMatch(
      /^---\ntitle: Gates\norder: 1\npublish: 2026-12-01T08:00Z\naudio: a.mp3\n---\n/,
    );
    const unchanged = { ...time, public: "on", "was-publish": "2026-12-01T08:00Z" };
    expect(typedIn({ ...shown, ...unchanged }).content).toBe(content);
    const typed = { content: "a\nb", version: "0", base: "" };
    expect(typedIn({ content: "a\r\nb" })).toEqual(typed);
  });
});

describe("the folder", () => {
  it.each([
    ...["../../etc/passwd", "/etc/passwd", "chapters/../../x.md", "chapters/a\0.md", "media/x.png"],
    ...["chapters/.hidden.md", "chapters/UPPER.md", "pages/a/b.md", "other.yml", ""],
  ])("has no text to edit at %j", async (path) => {
    const edition = await openEdition();
    expect(mayEdit(edition, path)).toBe(false);
    expect(await openText(edition, path)).toBeNull();
  });

  it("shows no text of another folder, and has its pictures where its operator linked them", async () => {
    const outside = editionFolder({ "secret.md": "secret", "chapters/07-in.md": "secret" });
    symlinkSync(join(outside.path, "secret.md"), join(folder.path, "chapters/06-link.md"));
    symlinkSync(join(outside.path, "chapters"), join(folder.path, "extras/linked"));
    try {
      for (const path of ["chapters/06-link.md", "extras/linked/07-in.md"]) {
        await expect(openText(await openEdition(), path)).rejects.toThrow("leads out of");
      }
      unlinkSync(join(folder.path, "chapters/06-link.md"));
      symlinkSync(outside.path, join(folder.path, "media"));
      const upload = { name: "x.png", bytes: PNG_PIXEL };
      await storeUpload(author, await openEdition(), upload, false);
      expect(readdirSync(outside.path).sort()).toEqual(["chapters", "secret.md", "x.png"]);
      const { source } = await checkEdition(await openEdition());
      const [name = ""] = [...source.media.values()].map(mediaName);
      expect(await findEditionMedia(await openEdition(), name)).toMatchObject({
        bytes: PNG_PIXEL.length,
      });
    } finally {
      outside.remove();
    }
  });

  it("of another user is shown, previewed and left as it is, and each change is refused with its reason", async () => {
    const before = inFolder(GATES);
    const parts = [folder.path, join(folder.path, "chapters")];
    const changeAll = (mode: number) => {
      for (const part of parts) chmodSync(part, mode);
    };
    const user = process.geteuid?.() ?? 0;
    changeAll(0o555);
    // root may write everywhere
    if (user === 0) process.seteuid?.(65_534);
    try {
      const edition = await openEdition();
      const reason = "cannot be written by the user this program runs as";
      expect((await listEdition(edition, "/desk/book")).unwritable).toContain(reason);
      await expect(publish(GATES, `${before}More.\n`)).rejects.toThrow(reason);
      await expect(moveText(author, edition, HILLS, 1)).rejects.toThrow(reason);
      await expect(deleteText(author, edition, HILLS)).rejects.toThrow(reason);
      const upload = { name: "x.png", bytes: PNG_PIXEL };
      await expect(storeUpload(author, edition, upload, false)).rejects.toThrow(reason);
      expect((await loadPreviewOf(edition, GATES))?.text?.html).toContain("More.");
      expect(inFolder(GATES)).toBe(before);
    } finally {
      process.seteuid?.(user);
      changeAll(0o755);
    }
  });

  it("has its texts moved, with their comments", async () => {
    writeFileSync(
      join(folder.path, GATES),
      inFolder(GATES).replace("order: 1", "order: 1 # first"),
    );
    await moveText(author, await openEdition(), GATES, 1);
    expect([inFolder(GATES), inFolder(HILLS)]).toEqual([
      expect.stringContaining("order: 2 # first\n"),
      expect.stringContaining("order: 1\n"),
    ]);
    // the first has no place above it, and a chapter does not become an extra
    await moveText(author, await openEdition(), HILLS, -1);
    await moveText(author, await openEdition(), "chapters/03-later.md", 1);
    await save(GATES, "typing");
    await expect(moveText(author, await openEdition(), HILLS, 1)).rejects.toThrow(
      "has unpublished changes",
    );
    expect(inFolder(HILLS)).toContain("order: 1\n");
  });

  it("has a text renamed: its former address and all links lead to it", async () => {
    const rename = async (path: string, slug: string) =>
      renameText(author, await openEdition(), path, slug);
    await expect(rename(GATES, "hills")).rejects.toThrow("taken");
    expect(await rename(GATES, "../Doors!")).toBe("chapters/01-doors.md");
    expect(await rename("chapters/01-doors.md", "small-doors")).toBe("chapters/01-small-doors.md");
    expect(inFolder(HILLS)).toContain("[the gates](01-small-doors.md)");
    const edition = await importEdition(folder.path);
    expect(edition.find("gates", new Date())).toMatchObject({ slug: "small-doors" });
    await rename("chapters/01-small-doors.md", "gates");
    expect(inFolder(GATES)).not.toContain("id:");
  });

  it("keeps what is deleted where the site does not see it", async () => {
    const kept = await deleteText(author, await openEdition(), "extras/one-drawer.md");
    expect(inFolder(kept)).toBe(SMALL_EDITION["extras/one-drawer.md"]);
    expect((await openEdition()).files.filter((file) => /drawer/.test(file))).toEqual([]);
  });

  it("takes pictures and sounds by the edition's rules, and gives back only what is not used", async () => {
    const upload = async (name: string, bytes: Uint8Array, replaces = false) =>
      storeUpload(author, await openEdition(), { name, bytes }, replaces);
    expect(await upload("My Gate!.PNG", PNG_PIXEL)).toBe("media/my-gate.png");
    expect(await upload("walk.mp3", silentMp3(1))).toBe("media/walk.mp3");
    await expect(upload("my gate.png", PNG_PIXEL)).rejects.toThrow("There is a media/my-gate.png");
    expect(await upload("my gate.png", PNG_PIXEL, true)).toBe("media/my-gate.png");
    await expect(upload("gate.jpg", PNG_PIXEL)).rejects.toThrow("is not a readable JPEG");
    await expect(upload("../../x.html", PNG_PIXEL)).rejects.toThrow("wanted a PNG");
    expect(readdirSync(join(folder.path, "media")).sort()).toEqual(["my-gate.png", "walk.mp3"]);

    await save(HILLS, `${inFolder(HILLS)}\n![A gate](../media/my-gate.png)\n`);
    const { media } = await listEdition(await openEdition(), "/desk/book");
    expect(media).toEqual(["media/my-gate.png", "media/walk.mp3"]);
    const preview = await loadPreviewOf(await openEdition(), HILLS);
    const [, name = ""] =
      /src="\/desk\/book\/media\/([^"]+)"/.exec(preview?.text?.html ?? "") ?? [];
    expect(await findEditionMedia(await openEdition(), name)).toMatchObject({
      mediaType: "image/png",
    });
    await expect(deleteMedia(author, await openEdition(), "media/my-gate.png")).rejects.toThrow(
      "is used",
    );
    await deleteMedia(author, await openEdition(), "media/walk.mp3");
    expect(readdirSync(join(folder.path, "media"))).toEqual(["my-gate.png"]);
  });

  it("that is empty takes the sample, and site.yml begins with what is shown", async () => {
    use({});
    const empty = await openEdition();
    await expect(listEdition(empty, "/desk/book")).resolves.toMatchObject({ hasEdition: false });
    await beginWithSample(author, empty);
    const edition = await openEdition();
    const list = await listEdition(edition, "/desk/book");
    expect([list.hasEdition, list.texts.length, list.problems]).toEqual([true, 18, []]);
    await expect(beginWithSample(author, edition)).rejects.toThrow("Nothing was copied");
    expect(await beginFile(author, edition, { kind: "site", title: "" })).toBe("site.yml");
    expect((await open("site.yml")).content).toContain("title: The Golden Path");
  });
});

describe("a preview", () => {
  it("shows Markdown and HTML in a text as text or not at all", async () => {
    const attacks = [
      "<script>alert(1)</script>",
      "[x](javascript:alert(1))",
      '![x" onerror="alert(1)](../media/a.png)',
      "<img src=x onerror=alert(1)>",
    ];
    for (const attack of attacks) {
      await save(GATES, editionText({ title: "<b>Gates</b>", order: 1 }, attack));
      const shown = await loadPreviewOf(await openEdition(), GATES);
      expect(shown).toMatchObject({ problems: [{ line: 6 }] });
    }
    await save(GATES, editionText({ title: "Gates", order: 1 }, "`<script>` & \\<b>"));
    expect((await loadPreviewOf(await openEdition(), GATES))?.text?.html).toBe(
      '<p id="p1"><code>&#x3C;script></code> &#x26; &#x3C;b></p>',
    );
  });

  it("shows the site and its pages before anybody else sees them", async () => {
    use({ ...SMALL_EDITION, "media/me.png": PNG_PIXEL, "site.yml": "title: Small Gates\n" });
    const before = currentSite();
    await save(
      "site.yml",
      "title: Large Gates\nbook: { price: 12.50 EUR }\nphotos: { author: { file: media/me.png, alt: Me } }\n",
    );
    const shown = await loadPreviewOf(await openEdition(), "site.yml");
    expect(shown?.site).toMatchObject({
      title: "Large Gates",
      price: { amount: "12.50", currency: "EUR" },
      photos: { author: { folder: "/desk/book/media/", alt: "Me" } },
    });
    expect(currentSite()).toBe(before);
    const page = await beginFile(author, await openEdition(), { kind: "page", title: "privacy" });
    expect(await loadPreviewOf(await openEdition(), page)).toMatchObject({
      problems: expect.arrayContaining([
        { line: expect.any(Number), problem: expect.stringMatching(/^fill in/) },
      ]),
    });
    await save(page, "---\ntitle: Privacy\n---\n\n![Me](../media/me.png)\n");
    expect((await loadPreviewOf(await openEdition(), page))?.page).toMatchObject({
      title: "Privacy",
      html: expect.stringContaining('src="/desk/book/media/'),
    });
  });
});
