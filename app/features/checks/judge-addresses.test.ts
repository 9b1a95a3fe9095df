import { describe, expect, it } from "vitest";
import { hasNoRoute, judgeAddresses } from "./check-site.server";

describe("judging addresses", () => {
  it.each([
    ["203.0.113.4", "ENETUNREACH", true],
    ["2001:db8::4", "ENETUNREACH", true],
    ["203.0.113.4", "EHOSTUNREACH", false],
  ])("%s failing with %s has no route: %s", (address, code, isSo) => {
    expect(hasNoRoute(address, code)).toBe(isSo);
  });

  it("warns about a public name that resolves to this machine", () => {
    for (const addresses of [["127.0.1.1"], ["127.0.0.1", "::1"]]) {
      const finding = judgeAddresses("book.example", addresses);
      expect(finding).toMatchObject({ what: "DNS", level: "warning" });
      expect(finding?.found).toContain("its DNS record was not checked");
    }
    expect(judgeAddresses("book.example", ["127.0.0.1", "203.0.113.4"])).toBeNull();
    expect(judgeAddresses("localhost", ["127.0.0.1"])).toBeNull();
  });
});
