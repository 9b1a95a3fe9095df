import { expect, it } from "vitest";
import { checkRelease } from "./examine-site.server";

const node = (version: string, day: string, debian: string | null = null) =>
  checkRelease("1.0.0", version, new Date(`${day}T12:00:00Z`), debian).find(
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

it("accepts Debian's own Node.js for as long as Debian maintains it", () => {
  expect(node("20.19.2", "2026-11-23", "13")?.level).toBe("ok");
  expect(node("20.19.2", "2028-08-10", "13")?.found).toContain("since 2028-08-09");
  expect(node("20.19.2", "2026-11-23", "12")?.level).toBe("warning");
  expect(node("23.0.0", "2026-11-23", "13")?.level).toBe("warning");
});

it("accepts a Node.js newer than this release knows", () => {
  expect(node("28.0.0", "2028-05-01")?.level).toBe("ok");
  expect(node("23.0.0", "2026-11-23")?.level).toBe("warning");
});
