import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTING_NAMES, type Settings, schema } from "./schema.server";

const read = (file: string) => readFileSync(resolve(import.meta.dirname, "../..", file), "utf8");

const lines = [...read(".env.example").matchAll(/^# ([A-Z][A-Z\d_]*)=(.*)$/gm)];
const examples = lines.map(([, name = "", value = ""]) => ({ name, value }));

describe(".env.example", () => {
  it("lists every setting exactly once", () => {
    expect(examples.map(({ name }) => name).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it("sets nothing", () => {
    const set = read(".env.example")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("#"));
    expect(set).toEqual([]);
  });

  it("shows defaults, and valid examples for settings without one", () => {
    const defaults = schema.parse({});
    for (const { name, value } of examples) {
      const setting = schema.shape[name as keyof Settings];
      const standard = defaults[name as keyof Settings];
      if (value === "") expect(standard, name).toBeUndefined();
      else if (standard === undefined) expect(setting.safeParse(value).error, name).toBeUndefined();
      else expect(setting.parse(value), name).toEqual(standard);
    }
  });

  it("shows no secret that could be left unchanged", () => {
    const secrets = examples.filter(({ name }) => /SECRET|TOKEN|KEY$/.test(name));
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter(({ value }) => value !== "")).toEqual([]);
  });
});

describe("the settings in docs/configuration.md", () => {
  it("match those of the program", () => {
    const table = /^\| name +\| meaning.*?\n\n/ms.exec(read("docs/configuration.md"))?.[0] ?? "";
    const cells = table.split("\n").map((row) => row.split("|")[1] ?? "");
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z\d_]+)`/g)]);
    expect(names.map(([, name]) => name).sort()).toEqual([...SETTING_NAMES].sort());
  });
});
