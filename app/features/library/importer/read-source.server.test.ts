import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { splitFrontMatter } from "~/features/markdown/front-matter";
import { readSource } from "./read-source.server";

vi.mock("~/features/markdown/front-matter", { spy: true });

const TEXTS = 100;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "golden-path-edition-"));
  await mkdir(join(folder, "chapters"));
});
afterEach(() => rm(folder, { recursive: true }));

/** How many texts are looked at in each turn of the event loop while this is done. */
async function textsPerTurn(work: () => Promise<unknown>): Promise<number[]> {
  const counts: number[] = [];
  const calls = vi.mocked(splitFrontMatter).mock.calls;
  let before = calls.length;
  let isDone = false;
  const count = () => {
    counts.push(calls.length - before);
    before = calls.length;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return counts;
}

it("leaves the event loop to requests after each text, however many there are", async () => {
  const files = Array.from({ length: TEXTS }, (_, index) => `chapters/${index}-text-${index}.md`);
  for (const [index, file] of files.entries()) {
    const fields = `title: Text ${index}\nsummary: One of many.\norder: ${index}\npublic: false`;
    await writeFile(join(folder, file), `---\n${fields}\n---\n\nWords.\n`);
  }
  let read = 0;
  const counts = await textsPerTurn(async () => {
    const { documents, problems } = await readSource(folder, files);
    expect(problems).toEqual([]);
    read = documents.length;
  });
  expect(read).toBe(TEXTS);
  expect(Math.max(...counts)).toBe(1);
});
