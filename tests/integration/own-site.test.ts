import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { readAlerts } from "~/features/checks/alerts.server";
import { clearCurrentEdition, setCurrentEdition } from "~/features/library/current-edition.server";
import { setEditionState } from "~/features/library/importer/edition-state.server";
import { loadEdition } from "~/features/library/importer/import-edition.server";
import { findPublicImage } from "~/features/library/served-media.server";
import { renderMail } from "~/features/mail/render-mail";
import { passwordResetMail } from "~/features/mail/templates/account-mails";
import { currentSite } from "~/features/site/current-site.server";
import { loader as loadPage } from "~/routes/pages.$slug/route";
import { readHealthFacts } from "~db/queries/operator-facts";
import { editionText, SMALL_EDITION, takeEdition } from "../support/library";
import { PNG_PIXEL } from "../support/newsletter";
import { get } from "../support/routes";
import { testSite } from "../support/site";

testSite();
afterEach(clearCurrentEdition);

const SITE = "title: Mine\nauthor: Ada\ncover: { file: media/cover.png }\n";
const PAGE = editionText({ title: "Imprint" }, "Ada, Oslo");

const OWN = {
  ...SMALL_EDITION,
  "site.yml": SITE,
  "media/cover.png": PNG_PIXEL,
  "pages/imprint.md": PAGE,
};

const openPage = async (slug: string) => {
  const answer = await get(loadPage, `/pages/${slug}`, undefined, { slug }).catch((error) => error);
  return answer instanceof Response && answer.status === 404 ? null : answer;
};

describe("an edition with a site.yml", () => {
  it("changes names, pages and mails of the whole site, and is stored with the texts", async () => {
    const edition = await takeEdition(OWN);
    expect(currentSite()).toMatchObject({ isSample: false, title: "Mine", author: "Ada" });
    expect(await openPage("imprint")).not.toBeNull();
    expect(await openPage("nowhere")).toBeNull();
    const { html } = await renderMail(passwordResetMail({ url: "https://book.example/x" }));
    expect(html).toContain("Mine, by Ada");
    const stored = await loadEdition(edition.digest);
    expect(stored?.site).toEqual(edition.site);
  });

  it("takes texts in spite of a mistake in it, and keeps the former words and cover", async () => {
    const { name = "" } = (await takeEdition(OWN)).site.cover ?? {};
    const { "media/cover.png": _, ...withoutCover } = OWN;
    const edition = await takeEdition({
      ...withoutCover,
      "site.yml": SITE.replace("title", "titel"),
    });
    expect(edition.site).toMatchObject({ title: "Mine", cover: { name } });
    expect(edition.siteProblems.map(({ file, problem }) => `${file}: ${problem}`)).toContain(
      "site.yml: titel: is not known here",
    );
    expect(edition.find("gates", new Date())).not.toBeNull();
    // also after a restart
    clearCurrentEdition();
    const stored = await loadEdition(edition.digest);
    if (stored) setCurrentEdition(stored);
    expect(currentSite().title).toBe("Mine");
    expect(await findPublicImage(name, new Date())).not.toBeNull();
  });

  it("has nothing of the sample, even if it could never be read", async () => {
    const edition = await takeEdition({ ...SMALL_EDITION, "site.yml": "titel: Mine\n" });
    expect(edition.site).toMatchObject({ isSample: false, reviews: [], rating: null });
    expect(edition.site.title).toBe(new URL("http://localhost").hostname);
  });

  it("leaves out a page with a gap, and keeps a page that got a mistake as it was", async () => {
    const gap = editionText({ title: "Privacy" }, "We are [[your name]].");
    await takeEdition({ ...OWN, "pages/privacy.md": gap });
    expect(currentSite().pages.map(({ slug }) => slug)).toEqual(["imprint"]);
    const edition = await takeEdition({ ...OWN, "pages/imprint.md": "No front matter.\n" });
    expect(currentSite().pages).toMatchObject([{ slug: "imprint", title: "Imprint" }]);
    expect(edition.siteProblems).toHaveLength(1);
  });

  it.each([
    ["<script>alert(1)</script>\n\n[a](javascript:alert(1))", /<script|javascript:/],
    ["<img src=x onerror=alert(1)>", /onerror/],
  ])("shows no script of a page: %j", async (text, danger) => {
    await takeEdition({ ...OWN, "pages/x.md": editionText({ title: "X" }, `${text}\n\nText.`) });
    const html = currentSite().pages.find(({ slug }) => slug === "x")?.html ?? "";
    expect(html).not.toMatch(danger);
  });
});

describe("the operator", () => {
  const statesNow = async () => {
    const kinds = ["sample-site", "site-not-taken"];
    const facts = await readHealthFacts({ place: "here", startId: randomUUID() });
    return Object.fromEntries(
      readAlerts(facts, [], "here", new Date())
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ kind, state }) => [kind, state]),
    );
  };

  it("is told that an own book is shown with the sample's words", async () => {
    setEditionState("taken", true);
    await takeEdition(SMALL_EDITION);
    expect(await statesNow()).toEqual({ "sample-site": "bad", "site-not-taken": "good" });
    await takeEdition({ ...SMALL_EDITION, "site.yml": SITE.replace(/cover.*/, "") });
    expect(await statesNow()).toEqual({ "sample-site": "good", "site-not-taken": "good" });
  });

  it("is told that site.yml has a mistake", async () => {
    setEditionState("taken", true);
    await takeEdition({ ...OWN, "site.yml": "title: [\n" });
    expect(await statesNow()).toEqual({ "sample-site": "good", "site-not-taken": "bad" });
  });
});
