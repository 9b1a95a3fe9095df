import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupChunks } from "./group-chunks.mjs";

const PAGES = ["home", "auth", "account", "notes", "search", "chapter", "premium", "podcast"];
const SITE = { id: "root", bytes: 40_000, starts: new Set(PAGES) };

const chunk = (id: string, bytes: number, ...starts: string[]) => ({
  id,
  bytes,
  starts: new Set(starts),
});

/** The groups that a page loads beside the site's file. */
const filesOf = (page: string, groups: string[][], chunks: ReturnType<typeof chunk>[]) =>
  groups
    .slice(1)
    .filter((ids) => chunks.some(({ id, starts }) => ids.includes(id) && starts.has(page)));

describe("grouping chunks", () => {
  it("puts what the same pages share into one file", () => {
    const chunks = [
      chunk("a", 9_000, "home", "auth"),
      chunk("b", 9_000, "auth", "home"),
      chunk("c", 9_000, "notes", "search"),
    ];
    expect(groupChunks(chunks, SITE)).toEqual([[], ["a", "b"], ["c"]]);
  });

  it("puts what nearly all pages need, and is small, with what all of them load", () => {
    const chunks = [chunk("small", 500, ...PAGES.slice(1)), chunk("large", 30_000, "home", "auth")];
    expect(groupChunks(chunks, SITE)).toEqual([["small"], ["large"]]);
  });

  it("merges small files rather than have one more, and large ones only where a page has too many", () => {
    const small = [chunk("a", 1_000, "home", "auth"), chunk("b", 1_000, "home", "account")];
    expect(groupChunks(small, SITE)[1]).toEqual(["a", "b"]);
    const large = PAGES.slice(1, 4).map((page) => chunk(page, 30_000, "home", page));
    expect(groupChunks(large, SITE)).toHaveLength(1 + large.length);
    const tooMany = PAGES.slice(1).map((page) => chunk(page, 30_000, "home", page));
    expect(filesOf("home", groupChunks(tooMany, SITE), tooMany)).toHaveLength(3);
  });

  it("keeps every chunk once, and every page to three files", () => {
    const chunks = fc.array(
      fc.tuple(fc.nat(40_000), fc.subarray(PAGES, { minLength: 2 })).map(([bytes, starts]) => ({
        bytes,
        starts: new Set(starts),
      })),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(chunks, (drawn) => {
        const named = drawn.map((one, index) => ({ ...one, id: `chunk-${index}` }));
        const groups = groupChunks(named, SITE);
        expect(groups.flat().sort()).toEqual(named.map(({ id }) => id).sort());
        for (const page of PAGES)
          expect(filesOf(page, groups, named).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
