import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createLinkToken, hashLinkToken, isLinkToken } from "./link-token.server";

describe("a link token", () => {
  it("is 32 random bytes, stored as their SHA-256", () => {
    const { token, tokenHash } = createLinkToken();
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(tokenHash).toBe(createHash("sha256").update(token).digest("hex"));
    expect(hashLinkToken(token)).toBe(tokenHash);
    expect(createLinkToken().token).not.toBe(token);
  });

  it("is recognized by its 43-character format", () => {
    expect(isLinkToken(`${"aZ09_-".repeat(7)}x`)).toBe(true);
  });

  it.each([
    ["one character less", "a".repeat(42)],
    ["a token with something after it", `${"a".repeat(43)}\n`],
    ["a token in a list", ["a".repeat(43)]],
  ])("is not %s", (_name, field) => {
    expect(isLinkToken(field)).toBe(false);
    expect(hashLinkToken(field)).toBeNull();
  });
});
