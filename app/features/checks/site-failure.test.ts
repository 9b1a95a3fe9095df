import { describe, expect, it } from "vitest";
import { failureAnswer } from "./site-failure";

describe("a site of one's own machine that cannot be asked", () => {
  const refused = (isRunning: boolean) =>
    failureAnswer("https://localhost", "ECONNREFUSED", isRunning, true);

  it("is to be started if it does not run", () => {
    expect(refused(false)).toMatchObject({ level: "problem", advice: "Start the site." });
  });

  it("may only be out of reach of its container if it runs", () => {
    expect(refused(true)).toMatchObject({ level: "warning" });
    expect(refused(true).advice).not.toContain("Start the site");
  });
});
