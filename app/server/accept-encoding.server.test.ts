import { describe, expect, it } from "vitest";
import { preferredEncoding } from "./accept-encoding.server";

describe("the encoding of a response", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["gzip;q=0.8, br;q=0.1", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0.000, gzip;q=0", "identity"],
    ["BR", "br"],
    ["brotli", "identity"],
    ["x-br, x-gzip", "identity"],
    ["gzip ; q=1", "gzip"],
    ["identity", "identity"],
    ["*", "identity"],
    ["gzip;q=1.0, *;q=0.5", "gzip"],
    ["br ; Q = 0 , GZIP", "gzip"],
    ["br;q=none", "identity"],
    ["br;level=0", "br"],
    [",, br ,", "br"],
  ])("asked for with '%s' is %s", (accepted, expected) => {
    expect(preferredEncoding(accepted)).toBe(expected);
    // the second call is a cache hit
    expect(preferredEncoding(accepted)).toBe(expected);
  });

  it("stays correct when the cache overflows", () => {
    for (let i = 0; i < 1_000; i++) expect(preferredEncoding(`x-${i}`)).toBe("identity");
    expect(preferredEncoding("gzip, br")).toBe("br");
  });
});
