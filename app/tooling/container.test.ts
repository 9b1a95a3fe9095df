import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const read = (file: string) => readFileSync(resolve(import.meta.dirname, "../..", file), "utf8");

describe("the container", () => {
  it("is built on images pinned by digest", () => {
    const stages = [...read("Dockerfile").matchAll(/^FROM (?<image>\S+)(?: AS (?<name>\S+))?$/gm)];
    const names = stages.map(({ groups }) => groups?.name);
    const bases = stages
      .map(({ groups }) => groups?.image)
      .filter((image) => !names.includes(image));
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases) expect(base).toMatch(/^node:24-\w+-slim@sha256:[0-9a-f]{64}$/);
  });

  it("has the Node version of .nvmrc, which the workflow tests", () => {
    const major = read(".nvmrc").trim();
    expect(/^FROM node:(\d+)-/m.exec(read("Dockerfile"))?.[1]).toBe(major);
    const tested = /^ +node: \[(.*)\]$/m.exec(read(".github/workflows/test.yml"))?.[1]?.split(", ");
    expect(tested).toContain(major);
    expect(tested?.[0]).toBe(/\d+/.exec(JSON.parse(read("package.json")).engines.node)?.[0]);
  });
});
