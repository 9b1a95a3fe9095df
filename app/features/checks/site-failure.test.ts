import { describe, expect, it } from "vitest";
import { failureAnswer } from "./site-failure";

describe("an unreachable local site", () => {
  const refused = (isRunning: boolean) =>
    failureAnswer("https://localhost", "ECONNREFUSED", isRunning, true);

  it("asks to start the site if it is not running", () => {
    expect(refused(false)).toMatchObject({ level: "problem", advice: "Start the site." });
  });

  it("warns that only the container may not reach it if it is running", () => {
    expect(refused(true)).toMatchObject({ level: "warning" });
    expect(refused(true).advice).not.toContain("Start the site");
  });
});
