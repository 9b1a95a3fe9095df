import { expect, it } from "vitest";
import { loadLibraryOverview } from "~/features/library/library-overview.server";
import { loader as readChapter } from "~/routes/premium_.chapters_.$slug/route";
import { action as saveNote } from "~/routes/premium_.notes_.save/route";
import { loader as notesFile } from "~/routes/premium_.notes[.]md/route";
import { action as saveProgress } from "~/routes/premium_.progress/route";
import { loader as readPreview } from "~/routes/preview_.$slug/route";
import { getDatabase } from "~db/client";
import { countReadings } from "~db/queries/statistics";
import { editionText, SMALL_EDITION, takeEdition } from "../support/library";
import { newReaderUntil } from "../support/payments";
import { get, post } from "../support/routes";
import { testSite } from "../support/site";

testSite();

it("a renamed text with its old slug as `id` keeps notes, place and address", async () => {
  const { "chapters/01-gates.md": _, ...rest } = SMALL_EDITION;
  await takeEdition(SMALL_EDITION);
  const { id, cookie } = await newReaderUntil(new Date(Date.now() + 86_400_000));
  const note = (slug: string, text: string, version: number) =>
    post(saveNote, { json: { slug, owner: id, text, version }, cookie });
  const progress = (json: Record<string, unknown>) => post(saveProgress, { json, cookie });
  expect((await note("gates", "Mine.", 0)).status).toBe(200);
  await progress({ slug: "gates", action: "position", block: 3 });

  const fields = { title: "Doors", summary: "S.", order: 1, public: true, id: "gates" };
  const edition = await takeEdition({
    ...rest,
    "chapters/01-doors.md": editionText(fields, "One.\n\nTwo.\n\nThree.\n\nFour."),
    "chapters/02-hills.md": editionText({ title: "Hills", summary: "S.", order: 2 }, "x"),
  });
  const open = (slug: string, search = "") =>
    get(readChapter, `/premium/chapters/${slug}${search}`, cookie, { slug });
  const moved = await open("gates", "?q=one");
  expect([moved.status, moved.headers.get("Location")]).toEqual([
    301,
    "/premium/chapters/doors?q=one",
  ]);
  const signedOut = await get(readChapter, "/premium/chapters/gates", undefined, { slug: "gates" });
  expect(signedOut.headers.get("Location")).toBe("/premium/chapters/doors");
  const preview = await get(readPreview, "/preview/gates", undefined, { slug: "gates" });
  expect([preview.status, preview.headers.get("Location")]).toEqual([301, "/preview/doors"]);
  expect((await open("nowhere")).status).toBe(404);
  expect(await (await open("doors")).json()).toMatchObject({
    document: { slug: "doors", title: "Doors" },
    note: { text: "Mine.", version: 1 },
  });
  expect(await loadLibraryOverview(id, edition)).toMatchObject({
    wayOn: { kind: "stopped", title: "Doors" },
  });

  // a page that was open before, and one that was opened after
  expect(await (await note("gates", "Mine still.", 1)).json()).toMatchObject({ version: 2 });
  expect(await (await note("doors", "Mine again.", 2)).json()).toMatchObject({ version: 3 });
  expect(await (await get(notesFile, "/premium/notes.md", cookie)).text()).toMatch(
    /^# [^#]*## Chapter 1: Doors\n\n[^#]*Mine again\.\n$/,
  );
  await progress({ slug: "doors", action: "read" });
  expect((await loadLibraryOverview(id, edition)).chaptersRead).toBe(1);
  expect(await countReadings("2026-01-01", getDatabase().db)).toMatchObject([
    { slug: "gates", title: "Doors", members: 1 },
  ]);
});
