import type { IncomingMessage } from "node:http";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { watchLog } from "../../tests/support/log";
import { clientAddress } from "./client-address.server";

const PROXY = "172.17.0.1";

function addressOf(trusted: string, forwarded?: string, from = PROXY, header = "x-forwarded-for") {
  setEnvironment({ TRUST_PROXY: trusted, LOG_LEVEL: "silent" });
  const headers = forwarded === undefined ? {} : { [header]: forwarded };
  return clientAddress({ headers, socket: { remoteAddress: from } } as unknown as IncomingMessage);
}

afterAll(() => setEnvironment({}));

describe("the address of a client", () => {
  it.each<[string, string | undefined, string]>([
    // without a proxy the header is the client's own invention
    ["0", undefined, PROXY],
    ["0", "198.51.100.1", PROXY],
    // one proxy: what it saw is the last; the rest came with the request
    ["1", "198.51.100.1", "198.51.100.1"],
    ["1", "6.6.6.6, 198.51.100.1", "198.51.100.1"],
    // two: the outer one's word is the last but one
    ["2", "198.51.100.1, 10.0.0.1", "198.51.100.1"],
    ["2", "6.6.6.6, 198.51.100.1, 10.0.0.1", "198.51.100.1"],
    // who came round a proxy is known by the socket
    ["2", "198.51.100.1", PROXY],
    ["1", undefined, PROXY],
    ["1", "", PROXY],
    ["1", "not an address", PROXY],
    ["1", "198.51.100.1,", PROXY],
    // some proxies add the port
    ["1", "198.51.100.1:51234", "198.51.100.1"],
    ["1", "[2001:db8::1]:51234", "2001:db8::1"],
    ["1", "2001:db8::1", "2001:db8::1"],
  ])("behind %s proxies with '%s' is %s", (trusted, forwarded, expected) => {
    expect(addressOf(trusted, forwarded)).toBe(expected);
  });

  it.each(["127.0.0.1", "::1", "::ffff:10.1.2.3", "192.168.1.4", "fd00::7", "100.64.0.9"])(
    "is the proxy's word when the proxy is counted and connects from %s",
    (from) => {
      expect(addressOf("1", "198.51.100.1", from)).toBe("198.51.100.1");
    },
  );

  it.each(["8.8.8.8", "::ffff:8.8.8.8", "2600::1", "unknown"])(
    "is the socket's own for %s, which is no place for a proxy that is only counted",
    (from) => {
      expect(addressOf("1", "198.51.100.1", from)).toBe(from);
    },
  );

  it.each<[string, string, string, string]>([
    ["2600::/32,10.0.0.5", "198.51.100.1", "10.0.0.5", "198.51.100.1"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "::ffff:10.0.0.5", "198.51.100.1"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "2600::9", "198.51.100.1"],
    // a neighbour of the proxy is no proxy
    ["2600::/32,10.0.0.5", "198.51.100.1", "10.0.0.6", "10.0.0.6"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "127.0.0.1", "127.0.0.1"],
    // the nearest that is none of ours; what it brought with it is its own invention
    ["10.0.0.0/8", "6.6.6.6, 198.51.100.1, 10.0.0.7", "10.0.0.5", "198.51.100.1"],
    ["10.0.0.0/8", "6.6.6.6, made up, 10.0.0.7", "10.0.0.5", "10.0.0.7"],
    ["10.0.0.0/8", "10.0.0.8, 10.0.0.7", "10.0.0.5", "10.0.0.8"],
    ["10.0.0.0/8", "", "10.0.0.5", "10.0.0.5"],
  ])("behind the proxies %s with '%s' from %s is %s", (trusted, forwarded, from, expected) => {
    expect(addressOf(trusted, forwarded, from)).toBe(expected);
  });
});

describe("a header that names an address and is not believed", () => {
  let days = 0;

  beforeEach(() => {
    // long after whatever the tests before have been told
    days += 1;
    vi.useFakeTimers({ now: Date.now() + days * 86_400_000 });
    return () => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    };
  });

  it.each(["x-forwarded-for", "forwarded", "x-real-ip"])(
    "is told once an hour and not more often: %s",
    (header) => {
      const lines = watchLog();
      for (let i = 0; i < 50; i++) addressOf("0", `198.51.100.${i}`, "203.0.113.9", header);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        level: "warn",
        facts: { header, network: "203.0.113.9" },
        message: expect.stringContaining("TRUST_PROXY is not set"),
      });
      vi.setSystemTime(Date.now() + 3_600_001);
      addressOf("0", "198.51.100.1", "203.0.113.9", header);
      expect(lines).toHaveLength(2);
    },
  );

  it("names the setting when a proxy is trusted that it did not come from", () => {
    const lines = watchLog();
    addressOf("10.0.0.0/8", "198.51.100.1", "203.0.113.9");
    expect(lines[0]?.message).toContain("TRUST_PROXY does not cover");
  });

  it("is nothing to tell when it is believed, or when there is none", () => {
    const lines = watchLog();
    addressOf("1", "198.51.100.1");
    addressOf("1", undefined, "203.0.113.9");
    addressOf("0");
    expect(lines).toEqual([]);
  });
});
