import { beforeAll, describe, expect, it } from "vitest";
import { loader } from "~/routes/premium_.chapters_.$slug/route";
import { findDocumentHtml } from "~db/queries/editions";
import { editionText, SMALL_EDITION, takeEdition } from "../support/library";
import { signIn } from "../support/payments";
import { get } from "../support/routes";
import { testSite } from "../support/site";

testSite();

describe("an edition's text", () => {
  it("is the one of its edition", async () => {
    const gates = (body: string) => ({
      ...SMALL_EDITION,
      "chapters/01-gates.md": editionText(
        { title: "Gates", summary: "How to begin.", order: 1 },
        body,
      ),
    });
    const before = await takeEdition(gates("The first gate."));
    expect(await findDocumentHtml(before.digest, "gates")).toContain("The first gate.");
    const after = await takeEdition(gates("The second gate."));
    expect(await findDocumentHtml(after.digest, "gates")).toContain("The second gate.");
  });
});

describe("the page of a text", () => {
  let member: string;
  let nobody: string;

  beforeAll(async () => {
    member = await signIn(new Date(Date.now() + 24 * 60 * 60 * 1000));
    nobody = await signIn(null);
  });

  const open = (slug: string, cookie?: string) =>
    get(loader, "/premium/chapters/a-text", cookie, { slug });

  it("is for members", async () => {
    await takeEdition(SMALL_EDITION);
    expect((await open("hills", member)).status).toBe(200);
    const answer = await open("gates", nobody);
    expect([answer.status, answer.headers.get("Location")]).toEqual([302, "/"]);
    // the page asks a visitor to log in
    const page = await open("gates");
    expect([page.status, await page.text()]).toEqual([200, "null"]);
  });

  it.each(["nowhere", "later", "one-drawer", "%00", "\0", "gates\0", "\ud800", "a".repeat(65_000)])(
    "is not found at other addresses (%#), which are for members, too",
    async (slug) => {
      await takeEdition(SMALL_EDITION);
      expect((await open(slug, member)).status).toBe(404);
      const answer = await open(slug, nobody);
      expect([answer.status, answer.headers.get("Location")]).toEqual([302, "/"]);
    },
  );
});
