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
