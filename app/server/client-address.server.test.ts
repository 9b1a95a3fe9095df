import type { IncomingMessage } from "node:http";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { watchLog } from "../../tests/support/log";
import { clientAddress, describeConnection } from "./client-address.server";

const PROXY = "172.17.0.1";

function addressOf(trusted: string, forwarded?: string, from = PROXY, header = "x-forwarded-for") {
  setEnvironment({ TRUST_PROXY: trusted, LOG_LEVEL: "silent" });
  const headers = forwarded === undefined ? {} : { [header]: forwarded };
  return clientAddress({ headers, socket: { remoteAddress: from } } as unknown as IncomingMessage);
}

afterAll(() => setEnvironment({}));

describe("a connection", () => {
  it.each([
    ["172.17.0.1", "1", { peer: "172.17.0.1", isPeerTrusted: true }],
    ["::ffff:172.17.0.1", "172.17.0.0/16", { peer: "172.17.0.1", isPeerTrusted: true }],
    ["172.17.0.1", "0", { peer: "172.17.0.1", isPeerTrusted: false }],
    ["203.0.113.9", "1", { peer: "203.0.113.9", isPeerTrusted: false }],
    [undefined, "1", { peer: "unknown", isPeerTrusted: false }],
  ])("from %s with TRUST_PROXY=%s is described", (remoteAddress, trusted, described) => {
    setEnvironment({ TRUST_PROXY: trusted, LOG_LEVEL: "silent" });
    const request = { headers: {}, socket: { remoteAddress } } as unknown as IncomingMessage;
    expect(describeConnection(request)).toEqual(described);
  });
});

describe("the address of a client", () => {
  it.each<[string, string | undefined, string]>([
    // without a proxy the header is forged by the client
    ["0", undefined, PROXY],
    ["0", "198.51.100.1", PROXY],
    // one proxy: it appended the last entry; the others came with the request
    ["1", "198.51.100.1", "198.51.100.1"],
    ["1", "6.6.6.6, 198.51.100.1", "198.51.100.1"],
    // two proxies: the outer one appended the last but one
    ["2", "198.51.100.1, 10.0.0.1", "198.51.100.1"],
    ["2", "6.6.6.6, 198.51.100.1, 10.0.0.1", "198.51.100.1"],
    // a client that bypassed a proxy is identified by the socket
    ["2", "198.51.100.1", PROXY],
    ["1", undefined, PROXY],
    ["1", "not an address", PROXY],
    // some proxies add the port
    ["1", "198.51.100.1:51234", "198.51.100.1"],
    ["1", "[2001:db8::1]:51234", "2001:db8::1"],
    ["1", "2001:db8::1", "2001:db8::1"],
    // a zone may be any text
    ["1", "fe80::1%eth0", "fe80::1"],
    ["1", "[fe80::1%br-1.100]:51234", "fe80::1"],
    ["172.17.0.1,fe80::1", "203.0.113.9, fe80::1%a-b", "203.0.113.9"],
    ["1", "198.51.100.1:51234x", PROXY],
  ])("behind %s proxies with '%s' is %s", (trusted, forwarded, expected) => {
    expect(addressOf(trusted, forwarded)).toBe(expected);
  });

  it.each([
    "127.0.0.1",
    "::1",
    "::ffff:10.1.2.3",
    "192.168.1.4",
    "169.254.1.1",
    "fd00::7",
    "100.64.0.9",
  ])("is the one a proxy reports when TRUST_PROXY is a number and it connects from %s", (from) => {
    expect(addressOf("1", "198.51.100.1", from)).toBe("198.51.100.1");
  });

  it.each(["8.8.8.8", "::ffff:8.8.8.8", "2600::1", "unknown"])(
    "is the socket's own for %s, where TRUST_PROXY as a number trusts no proxy",
    (from) => {
      expect(addressOf("1", "198.51.100.1", from)).toBe(from);
    },
  );

  it.each<[string, string, string, string]>([
    ["2600::/32,10.0.0.5", "198.51.100.1", "10.0.0.5", "198.51.100.1"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "::ffff:10.0.0.5", "198.51.100.1"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "2600::9", "198.51.100.1"],
    // another host in the proxy's network is not a proxy
    ["2600::/32,10.0.0.5", "198.51.100.1", "10.0.0.6", "10.0.0.6"],
    ["2600::/32,10.0.0.5", "198.51.100.1", "127.0.0.1", "127.0.0.1"],
    // the nearest untrusted address; entries further left are forged
    ["10.0.0.0/8", "6.6.6.6, 198.51.100.1, 10.0.0.7", "10.0.0.5", "198.51.100.1"],
    ["10.0.0.0/8", "6.6.6.6, made up, 10.0.0.7", "10.0.0.5", "10.0.0.7"],
    ["10.0.0.0/8", "10.0.0.8, 10.0.0.7", "10.0.0.5", "10.0.0.8"],
    ["10.0.0.0/8", "", "10.0.0.5", "10.0.0.5"],
  ])("behind the proxies %s with '%s' from %s is %s", (trusted, forwarded, from, expected) => {
    expect(addressOf(trusted, forwarded, from)).toBe(expected);
  });
});

describe("a forwarding header from an untrusted address", () => {
  let days = 0;

  beforeEach(() => {
    // long after the warnings of the tests before
    days += 1;
    vi.useFakeTimers({ now: Date.now() + days * 86_400_000 });
    return () => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    };
  });

  it.each(["x-forwarded-for", "forwarded", "x-real-ip"])(
    "is logged at most once an hour: %s",
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

  it("names the setting when another proxy is trusted", () => {
    const lines = watchLog();
    addressOf("10.0.0.0/8", "198.51.100.1", "203.0.113.9");
    expect(lines[0]?.message).toContain("TRUST_PROXY does not include");
  });

  it("is not logged from a trusted proxy, or without the header", () => {
    const lines = watchLog();
    addressOf("1", "198.51.100.1");
    addressOf("1", undefined, "203.0.113.9");
    addressOf("0");
    expect(lines).toEqual([]);
  });
});
