import { beforeEach, describe, expect, it, vi } from "vitest";

const ID = "5f0c1f0e-3c1b-4d0e-9a55-0a2f4a8d7c11";
const OLD = "an older secret that signed the mails of last year";
const NEW = "a newer secret that signs the mails of this year";

/** Loads the module as in a process started with these secrets. */
async function tokensWith(SESSION_SECRET: string) {
  vi.resetModules();
  const { setEnvironment } = await import("~/env.server");
  setEnvironment({ SESSION_SECRET, LOG_LEVEL: "silent" });
  return import("./subscriber-token.server");
}

describe("a newsletter link's token", () => {
  let tokens: Awaited<ReturnType<typeof tokensWith>>;
  beforeEach(async () => {
    tokens = await tokensWith(OLD);
  });

  it("identifies its subscriber and is the same in every mail", () => {
    const token = tokens.subscriberToken("unsubscribe", ID);
    expect(tokens.readSubscriberToken("unsubscribe", token)).toBe(ID);
    expect(tokens.subscriberToken("unsubscribe", ID)).toBe(token);
  });

  it("is valid for one purpose only", () => {
    const token = tokens.subscriberToken("confirm", ID);
    expect(tokens.readSubscriberToken("unsubscribe", token)).toBeNull();
  });

  it("is rejected if any part of it is changed", () => {
    const token = tokens.subscriberToken("unsubscribe", ID);
    const [, signature = ""] = token.split(".");
    for (const forged of [
      "",
      ID,
      `${ID}.`,
      `${ID.replace("5", "6")}.${signature}`,
      `${ID}.${signature.slice(1)}`,
      `${ID}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
      `${token}.${signature}`,
      `${ID.toUpperCase()}.${signature}`,
      undefined,
      [token, token],
      {},
    ]) {
      expect(tokens.readSubscriberToken("unsubscribe", forged)).toBeNull();
    }
  });

  it("stays valid in mails sent by earlier releases", () => {
    const sent = `${ID}.55Mula1GLoEl3AV7nERq8w7XdYCp74rqWooVero-4-Y`;
    expect(tokens.readSubscriberToken("unsubscribe", sent)).toBe(ID);
  });

  it.each([`x${ID}`, `${ID}x`])("is not valid for %s, which is no id", (id) => {
    expect(
      tokens.readSubscriberToken("unsubscribe", tokens.subscriberToken("unsubscribe", id)),
    ).toBeNull();
  });

  it("stays valid after a new secret while the old one is still listed", async () => {
    const token = tokens.subscriberToken("unsubscribe", ID);
    const rotated = await tokensWith(`${NEW},${OLD}`);
    expect(rotated.readSubscriberToken("unsubscribe", token)).toBe(ID);
    const dropped = await tokensWith(NEW);
    expect(dropped.readSubscriberToken("unsubscribe", token)).toBeNull();
  });
});
