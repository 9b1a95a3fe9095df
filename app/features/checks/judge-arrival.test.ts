import { describe, expect, it } from "vitest";
import { judgeArrival } from "./judge-arrival";
import { type Arrival, describeArrival, FORGED_ADDRESS } from "./probe.server";

const PUBLIC_URL = "https://book.example";
const DOCTOR = "203.0.113.9";

/** Returns the doctor's finding if this X-Forwarded-For arrives and the site believes `client` to be the visitor. */
function judge(
  forwarded: string[],
  site: {
    client?: string;
    peer?: string;
    isPeerTrusted?: boolean;
    proxies?: number | string[];
  } = {},
  publicUrl = PUBLIC_URL,
  answer: Record<string, string> = {},
) {
  const { client = DOCTOR, peer = "10.0.0.1", isPeerTrusted = true, proxies = 1 } = site;
  const headers = new Headers({ Host: new URL(publicUrl).host });
  if (forwarded.length > 0) headers.set("X-Forwarded-For", forwarded.join(", "));
  const arrival: Arrival = describeArrival(headers, { client, peer, isPeerTrusted, proxies });
  return judgeArrival(arrival, publicUrl, answer).find(
    ({ what }) => what === "visitors' addresses",
  );
}

describe("judging proxies", () => {
  it("accepts a proxy that appends and one that replaces", () => {
    expect(judge([FORGED_ADDRESS, DOCTOR])?.level).toBe("ok");
    expect(judge([DOCTOR])?.level).toBe("ok");
    expect(judge([FORGED_ADDRESS, DOCTOR], { proxies: ["10.0.0.0/8"] })?.level).toBe("ok");
  });

  it("accepts a local site without a proxy", () => {
    const site = { proxies: 0, isPeerTrusted: false, peer: "127.0.0.1" };
    expect(judge([FORGED_ADDRESS], site, "http://localhost:3000")?.level).toBe("ok");
  });

  it.each([
    ["cf-ray", "8c-FRA"],
    ["x-served-by", "cache-fra-1"],
  ])("warns about a single address behind a CDN (%s)", (name, value) => {
    const answer = { [name]: value };
    const finding = judge([DOCTOR], {}, PUBLIC_URL, answer);
    expect(finding?.level).toBe("warning");
    expect(finding?.advice).toMatch(/Caddy: trusted_proxies; nginx: set_real_ip_from/);
    // the CDN alone, then a proxy that trusts it
    expect(judge([FORGED_ADDRESS, DOCTOR], {}, PUBLIC_URL, answer)?.level).toBe("ok");
    const two = judge([DOCTOR, "198.51.100.1"], { proxies: 2 }, PUBLIC_URL, answer);
    expect(two?.level).toBe("ok");
  });

  it("ignores x-served-by headers that are not Fastly's", () => {
    expect(judge([DOCTOR], {}, PUBLIC_URL, { "x-served-by": "app-1" })?.level).toBe("ok");
  });

  it("requires TRUST_PROXY to match the number of proxies", () => {
    const untrusting = { proxies: 0, isPeerTrusted: false };
    expect(judge([FORGED_ADDRESS, DOCTOR], untrusting)?.advice).toMatch(/^Set TRUST_PROXY=1,/);
    expect(judge([DOCTOR, "10.0.0.2"])?.advice).toMatch(/^Set TRUST_PROXY=2,/);
    expect(judge([DOCTOR, "10.0.0.2"], { proxies: 3 })?.advice).toMatch(/^Set TRUST_PROXY=2,/);
  });

  it("reports forgeable addresses", () => {
    const forged = { client: FORGED_ADDRESS, proxies: 2 };
    expect(judge([FORGED_ADDRESS, DOCTOR], forged)?.found).toContain("visitors can forge theirs");
    expect(judge([FORGED_ADDRESS], { client: FORGED_ADDRESS })?.found).toContain("can forge");
    expect(judge([DOCTOR], { proxies: 2, client: "10.0.0.1" })?.found).toContain("count as one");
  });

  it("names a proxy with a public address", () => {
    const site = { isPeerTrusted: false, peer: "198.51.100.4" };
    expect(judge([FORGED_ADDRESS, DOCTOR], site)?.advice).toMatch(
      /^Set TRUST_PROXY=198\.51\.100\.4,/,
    );
    expect(judge([FORGED_ADDRESS, DOCTOR], { ...site, proxies: ["10.0.0.1"] })?.advice).toMatch(
      /^Add 198\.51\.100\.4 to TRUST_PROXY/,
    );
  });

  it("reports a TRUST_PROXY that is not needed", () => {
    const site = { isPeerTrusted: false, peer: "127.0.0.1" };
    expect(judge([FORGED_ADDRESS], site, "http://book.example")?.advice).toMatch(
      /^Set TRUST_PROXY=0,/,
    );
  });
});
