import { expect, it } from "vitest";
import { inPages } from "./in-pages";

async function* upTo(count: number) {
  for (let i = 1; i <= count; i++) yield i;
}

it.each([
  [0, []],
  [1, [[1]]],
  [2, [[1, 2]]],
  [3, [[1, 2], [3]]],
  [
    4,
    [
      [1, 2],
      [3, 4],
    ],
  ],
])("groups %i items into pages of at most two", async (count, expected) => {
  const pages: number[][] = [];
  for await (const page of inPages(upTo(count), 2)) pages.push(page);
  expect(pages).toEqual(expected);
});

it("gives each page before it asks for the items of the next", async () => {
  let asked = 0;
  async function* counted() {
    for await (const item of upTo(4)) {
      asked = item;
      yield item;
    }
  }
  const { value } = await inPages(counted(), 2).next();
  expect({ value, asked }).toEqual({ value: [1, 2], asked: 2 });
});
