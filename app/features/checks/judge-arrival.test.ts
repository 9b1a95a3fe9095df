import { describe, expect, it } from "vitest";
import { judgeArrival } from "./judge-arrival";
import { type Arrival, describeArrival, FORGED_ADDRESS } from "./probe.server";

const PUBLIC_URL = "https://book.example";
const DOCTOR = "203.0.113.9";

/** What the doctor finds out when this X-Forwarded-For arrives, and the site takes `client` for the visitor. */
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

describe("the doctor's judgement of proxies", () => {
  it("accepts one that appends and one that replaces", () => {
    expect(judge([FORGED_ADDRESS, DOCTOR])?.level).toBe("ok");
    expect(judge([DOCTOR])?.level).toBe("ok");
    expect(judge([FORGED_ADDRESS, DOCTOR], { proxies: ["10.0.0.0/8"] })?.level).toBe("ok");
  });

  it("accepts a site without any, on a machine of one's own", () => {
    const site = { proxies: 0, isPeerTrusted: false, peer: "127.0.0.1" };
    expect(judge([FORGED_ADDRESS], site, "http://localhost:3000")?.level).toBe("ok");
  });

  it.each([
    ["cf-ray", "8c-FRA"],
    ["x-served-by", "cache-fra-1"],
  ])("doubts that the only address behind a CDN (%s) is the visitor's", (name, value) => {
    const answer = { [name]: value };
    const finding = judge([DOCTOR], {}, PUBLIC_URL, answer);
    expect(finding?.level).toBe("warning");
    expect(finding?.advice).toMatch(/Caddy: trusted_proxies; nginx: set_real_ip_from/);
    // of the CDN alone, and of a proxy that believes it
    expect(judge([FORGED_ADDRESS, DOCTOR], {}, PUBLIC_URL, answer)?.level).toBe("ok");
    const two = judge([DOCTOR, "198.51.100.1"], { proxies: 2 }, PUBLIC_URL, answer);
    expect(two?.level).toBe("ok");
  });

  it("takes no other's x-served-by for a CDN's", () => {
    expect(judge([DOCTOR], {}, PUBLIC_URL, { "x-served-by": "app-1" })?.level).toBe("ok");
  });

  it("wants as much trust as there are proxies", () => {
    const untrusting = { proxies: 0, isPeerTrusted: false };
    expect(judge([FORGED_ADDRESS, DOCTOR], untrusting)?.advice).toMatch(/^Set TRUST_PROXY=1,/);
    expect(judge([DOCTOR, "10.0.0.2"])?.advice).toMatch(/^Set TRUST_PROXY=2,/);
    expect(judge([DOCTOR, "10.0.0.2"], { proxies: 3 })?.advice).toMatch(/^Set TRUST_PROXY=2,/);
  });

  it("says who can forge an address", () => {
    const forged = { client: FORGED_ADDRESS, proxies: 2 };
    expect(judge([FORGED_ADDRESS, DOCTOR], forged)?.found).toContain("visitors can forge theirs");
    expect(judge([FORGED_ADDRESS], { client: FORGED_ADDRESS })?.found).toContain("can forge");
    expect(judge([DOCTOR], { proxies: 2, client: "10.0.0.1" })?.found).toContain("count as one");
  });

  it("names a proxy that connects from a public address", () => {
    const site = { isPeerTrusted: false, peer: "198.51.100.4" };
    expect(judge([FORGED_ADDRESS, DOCTOR], site)?.advice).toMatch(
      /^Set TRUST_PROXY=198\.51\.100\.4,/,
    );
    expect(judge([FORGED_ADDRESS, DOCTOR], { ...site, proxies: ["10.0.0.1"] })?.advice).toMatch(
      /^Add 198\.51\.100\.4 to TRUST_PROXY/,
    );
  });

  it("finds out that TRUST_PROXY is set for nothing", () => {
    const site = { isPeerTrusted: false, peer: "127.0.0.1" };
    expect(judge([FORGED_ADDRESS], site, "http://book.example")?.advice).toMatch(
      /^Set TRUST_PROXY=0,/,
    );
  });
});
