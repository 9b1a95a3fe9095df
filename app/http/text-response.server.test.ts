import { json } from "@remix-run/node";
import { describe, expect, it } from "vitest";
import { jsonResponse, TextResponse } from "./text-response.server";

const INIT = {
  status: 422,
  statusText: "No",
  headers: [
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
    ["Cache-Control", "no-store"],
  ] satisfies [string, string][],
};

/** What of a response is sent. */
const sent = async (response: Response) => ({
  status: response.status,
  statusText: response.statusText,
  headers: [...response.headers],
  body: await response.text(),
});

describe("a response of text", () => {
  it.each(["", "Done.\n", "Grüße aus 東京 🏔"])("is that of the platform: '%s'", async (text) => {
    expect(await sent(new TextResponse(text, INIT))).toEqual(await sent(new Response(text, INIT)));
    expect(await sent(new TextResponse(text))).toEqual(await sent(new Response(text)));
    expect(new TextResponse(text).content).toBe(text);
  });

  it("keeps its own content type", () => {
    const headers = { "Content-Type": "text/html" };
    expect(new TextResponse("", { headers }).headers.get("Content-Type")).toBe("text/html");
  });

  it("can be read in every way, once", async () => {
    const bytes = new TextEncoder().encode("[1]");
    expect(new Uint8Array(await new TextResponse("[1]").arrayBuffer())).toEqual(bytes);
    expect(await new TextResponse("[1]").bytes()).toEqual(bytes);
    expect(await (await new TextResponse("[1]").blob()).text()).toBe("[1]");
    expect(await new TextResponse("[1]").json()).toEqual([1]);
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const form = await new TextResponse("a=1", { headers }).formData();
    expect([...form]).toEqual([["a", "1"]]);
    const response = new TextResponse("[1]");
    expect(response.bodyUsed).toBe(false);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(bytes));
    expect(response.bodyUsed).toBe(true);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it.each([204, 205, 304])("is none to a status without a body: %i", (status) => {
    expect(() => new TextResponse("", { status })).toThrow(TypeError);
  });

  it("can be cloned, with the headers that it has by then", async () => {
    const response = new TextResponse("a");
    expect(response.body).not.toBeNull();
    response.headers.set("X-Late", "1");
    const copy = response.clone();
    expect(await copy.text()).toBe("a");
    expect(copy.headers.get("X-Late")).toBe("1");
    expect(await response.text()).toBe("a");
  });
});

describe("a response of JSON", () => {
  it.each([
    [{ toast: null, list: [1, "a"] }, INIT],
    [null, { headers: { "Content-Type": "application/problem+json" } }],
    [{ left: undefined }, undefined],
  ])("is that of Remix: %j", async (value, init) => {
    expect(await sent(jsonResponse(value, init))).toEqual(await sent(json(value, init)));
  });
});
