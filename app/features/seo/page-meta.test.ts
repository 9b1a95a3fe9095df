import { describe, expect, it } from "vitest";
import { pageSite } from "~/features/site/page-site.server";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import { bookJsonLd } from "./json-ld";
import { pageMeta, unlistedMeta } from "./page-meta";

const page = { title: "Somewhere", description: "What is there.", path: "/somewhere" };
const site = pageSite(SAMPLE_SITE);
const matches = [{ id: "root", data: { publicUrl: "https://book.example", site } }];

describe("page metadata", () => {
  it("has the page's canonical address on the public origin", () => {
    expect(pageMeta(page, matches)).toContainEqual({
      tagName: "link",
      rel: "canonical",
      href: "https://book.example/somewhere",
    });
  });

  it("has absolute addresses for link previews", () => {
    const addresses = pageMeta(page, matches)
      .flatMap((tag) => ("content" in tag ? [String(tag.content)] : []))
      .filter((content) => content.includes("share.png") || content.includes("/somewhere"));
    expect(addresses).toHaveLength(3);
    for (const address of addresses) expect(address).toMatch(/^https:\/\/book\.example\//);
  });

  it("keeps a private page out of search results and previews", () => {
    expect(unlistedMeta(matches, "Somewhere", "What is there.")).toEqual([
      { title: "Somewhere · The Golden Path" },
      { name: "description", content: "What is there." },
      { name: "robots", content: "noindex" },
    ]);
  });

  it("keeps the title if the root's data is missing", () => {
    expect(pageMeta(page, [{ id: "root" }])).toEqual([
      { title: "Somewhere" },
      { name: "description", content: "What is there." },
    ]);
  });
});

describe("the book's structured data", () => {
  it("has its price, and no rating (specification, 9)", () => {
    const [book] = bookJsonLd(matches, SAMPLE_SITE.price);
    expect(JSON.stringify(book)).not.toMatch(/rating|review/i);
    expect(book).toMatchObject({
      "script:ld+json": {
        "@type": "Book",
        name: "The Golden Path",
        offers: { price: "24.99", priceCurrency: "USD" },
      },
    });
  });
});
