import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { IncomingHeaders } from "./incoming-headers.server";

const RECEIVED: IncomingHttpHeaders = {
  host: "a.example",
  cookie: "c=1; d=2",
  "x-letter": "a, b",
  "x-empty": "",
  "set-cookie": ["e=3", "f=4"],
};
const PAIRS = [
  ["cookie", "c=1; d=2"],
  ["host", "a.example"],
  // a client that sends one sends nothing that anybody asks for
  ["set-cookie", "e=3, f=4"],
  ["x-empty", ""],
  ["x-letter", "a, b"],
];

/** As they have just been received, and once they have been copied. */
const made = {
  received: () => new IncomingHeaders({ ...RECEIVED }),
  copied: () => {
    const headers = new IncomingHeaders({ ...RECEIVED });
    headers.append("X-Other", "o");
    headers.delete("x-other");
    return headers;
  },
};

describe.each(["received", "copied"] as const)("the headers of a message, %s,", (state) => {
  it("are found by names in any case", () => {
    const headers = made[state]();
    expect(headers.get("Cookie")).toBe("c=1; d=2");
    expect(headers.get("X-LETTER")).toBe("a, b");
    expect(headers.get("x-empty")).toBe("");
    expect(headers.get("Set-Cookie")).toBe("e=3, f=4");
    expect(headers.has("hOST")).toBe(true);
    expect(headers.has("X-Empty")).toBe(true);
  });

  it.each(["X-Missing", "constructor", "__proto__", "toString"])("have no %s", (name) => {
    expect(made[state]().get(name)).toBeNull();
    expect(made[state]().has(name)).toBe(false);
  });

  it("can be copied and passed on", () => {
    expect([...new Headers(made[state]())]).toEqual(PAIRS);
    const request = new Request("https://a.example", { headers: made[state]() });
    expect(request.headers.get("Cookie")).toBe("c=1; d=2");
    expect([...request.headers]).toEqual(PAIRS);
  });

  it("can be changed", () => {
    const headers = made[state]();
    headers.append("X-Letter", "c");
    headers.set("Host", "b.example");
    headers.delete("Cookie");
    expect(headers.get("x-letter")).toBe("a, b, c");
    expect(headers.get("host")).toBe("b.example");
    expect(headers.has("cookie")).toBe(false);
    expect(headers.has("x-empty")).toBe(true);
  });
});
