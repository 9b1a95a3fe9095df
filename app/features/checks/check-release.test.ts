import { expect, it } from "vitest";
import { checkRelease } from "./examine-site.server";

const node = (version: string, day: string) =>
  checkRelease("1.0.0", version, new Date(`${day}T12:00:00Z`)).find(
    ({ what }) => what === "Node.js",
  );

it("warns about a Node.js release after its end of life", () => {
  expect(node("20.20.0", "2026-04-30")?.level).toBe("ok");
  expect(node("20.20.0", "2026-05-01")).toMatchObject({
    level: "warning",
    found: "20.20.0, without corrections since 2026-04-30",
  });
  expect(node("24.1.0", "2026-11-23")?.level).toBe("ok");
});

it("accepts a Node.js newer than this release knows", () => {
  expect(node("28.0.0", "2028-05-01")?.level).toBe("ok");
  expect(node("23.0.0", "2026-11-23")?.level).toBe("warning");
});
