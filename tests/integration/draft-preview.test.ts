import { afterEach, expect, it } from "vitest";
import { env, setEnvironment } from "~/env.server";
import { loadDraft, previewToken } from "~/features/library/draft-preview.server";
import type { PreviewView } from "~/features/library/preview.server";
import { loader as loadPage } from "~/routes/drafts.$token.$slug/route";
import { loader as loadMedia } from "~/routes/drafts.$token.media.$name/route";
import { runCommand } from "../support/command";
import {
  type EditionFiles,
  editionFolder,
  editionText,
  SMALL_EDITION,
  takeEdition,
} from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { get } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite();

const DRAFT: EditionFiles = {
  ...SMALL_EDITION,
  "chapters/04-draft.md": editionText(
    { title: "Draft", order: 4, publish: "draft" },
    "Not yet. See [hills](02-hills.md).\n\n![A gate](gate.png)",
  ),
  "chapters/gate.png": PNG_PIXEL,
};

const DAY_MS = 86_400_000;
let folder: ReturnType<typeof editionFolder> | null = null;
afterEach(() => folder?.remove());

const open = (token: string, slug: string) =>
  get(loadPage, `/drafts/${token}/${slug}`, undefined, { token, slug });

it("shows its author a draft that nobody else sees, with its links and pictures", async () => {
  const edition = await takeEdition(DRAFT);
  const now = new Date();
  expect(edition.find("draft", new Date("2999-01-02"))).toBeNull();
  expect(edition.nextPublication(new Date("2999-01-02"))).toBeNull();
  const token = await previewToken(now);
  const { preview } = (await (await open(token, "draft")).json()) as { preview: PreviewView };
  expect(preview.html).toContain("Not yet.");
  expect(preview.html).toContain(`href="/drafts/${token}/hills"`);
  const [, name = ""] = /src="\/drafts\/[^/]+\/media\/([^"]+)"/.exec(preview.html) ?? [];
  const image = (given: string) =>
    get(loadMedia, `/drafts/${given}/media/${name}`, undefined, { token: given, name });
  expect((await image(token)).status).toBe(200);
  expect((await image(`${token.slice(0, -1)}~`)).status).toBe(404);
  expect(await loadDraft(edition, { token, slug: "later" })).toMatchObject({
    label: "Chapter 3",
    next: { title: "Draft", path: `/drafts/${token}/draft` },
  });
});

it("shows nothing at an address that is made up, changed or 31 days old", async () => {
  await takeEdition(DRAFT);
  const token = await previewToken(new Date());
  const [day = "", signature = ""] = token.split(/-(.*)/s);
  const old = await previewToken(new Date(Date.now() - 31 * DAY_MS));
  const last = await previewToken(new Date(Date.now() - 30 * DAY_MS));
  for (const wrong of [
    old,
    `${Number(day) + 1}-${signature}`,
    `${day}-${"a".repeat(22)}`,
    "",
    "x",
  ]) {
    expect((await open(wrong, "draft")).status).toBe(404);
  }
  expect((await open(last, "draft")).status).toBe(200);
  expect((await open(token, "nowhere")).status).toBe(404);
});

it("has an address for each unpublished text, or for the one that is named", async () => {
  folder = editionFolder(DRAFT);
  setEnvironment({
    DATABASE_URL: site.databaseUrl,
    DATA_DIR: env().DATA_DIR,
    CONTENT_DIR: folder.path,
    PUBLIC_URL: "https://book.example",
    LOG_LEVEL: "silent",
  });
  const all = await runCommand("content", "preview");
  expect(all.stdout).toMatch(
    /^https:\/\/book\.example\/drafts\/\d+-[\w-]{22}\/later\nhttps:\S+\/draft\n$/,
  );
  expect((await runCommand("content", "preview", "04-draft.md")).stdout).toMatch(/^\S+\/draft\n$/);
  const { code, stderr } = await runCommand("content", "preview", "nothing");
  expect([code, stderr]).toEqual([1, expect.stringContaining("There is no text 'nothing'")]);
  expect((await runCommand("content", "list")).stdout).toMatch(/Draft +\d+ +1 +draft/);
});
