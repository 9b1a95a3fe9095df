import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  keyOfData,
  NotPlainData,
  type PersonalValues,
  replaceValues,
  twoStandIns,
} from "./stand-in-viewer.server";

const ANNA: PersonalValues = {
  user: "1",
  email: "anna@book.test",
  picture: "/avatars/1.webp",
  periodEnd: "2027-01-02T03:04:05.678Z",
};
const BEN: PersonalValues = {
  user: "2",
  email: "ben@book.test",
  picture: "/avatars/2.webp",
  periodEnd: "2027-02-03T04:05:06.789Z",
};

/** What a loader returns for a viewer. */
const dataOf = (values: PersonalValues, more: object = {}) => ({
  viewer: { ...values, isSubscribed: true },
  list: [values.email, "a text", 3, null, undefined],
  ...more,
});

const LONG_TEXT = "a".repeat(10_000);
const DIGEST = createHash("sha256").update(LONG_TEXT).digest("base64");

describe("a viewer's data", () => {
  it("become another's, value by value", () => {
    expect(replaceValues(dataOf(ANNA), ANNA, BEN)).toEqual(dataOf(BEN));
  });

  it("stay one object where they are one, which is encoded once", () => {
    const price = { amount: "$9.99" };
    const replaced = replaceValues({ list: [price], price }, ANNA, BEN) as Record<string, unknown>;
    expect((replaced.list as unknown[])[0]).toBe(replaced.price);
    expect(replaced.price).not.toBe(price);
  });

  it("have the key of everybody whose data differ in personal values alone", () => {
    expect(keyOfData(dataOf(ANNA), ANNA)).toBe(keyOfData(dataOf(BEN), BEN));
  });

  it.each([
    ["a value that is not personal", { trouble: "past-due" }],
    ["a long text", { text: "a".repeat(10_000) }],
    ["an address within a text", { line: `Mail to ${ANNA.email}` }],
  ])("have another key with %s", (_, more) => {
    expect(keyOfData(dataOf(ANNA, more), ANNA)).not.toBe(keyOfData(dataOf(BEN), BEN));
  });

  it.each([
    ["one text and two", ["a,b"], ["a", "b"]],
    ["a text and what stands for a personal value", "$user", ANNA.user],
    ["a text and a number", "3", 3],
    ["a text and the end of its list", '"1:a,]', "a"],
    ["a name with a value and two names", { "a=1,1:b": 2 }, { a: 1, b: 2 }],
    ["a text and what stands for a long one", `#${DIGEST}`, LONG_TEXT],
  ])("have other keys with %s", (_, one, other) => {
    expect(keyOfData({ more: one }, ANNA)).not.toBe(keyOfData({ more: other }, ANNA));
  });

  it("have another key with another long text, however alike", () => {
    const keys = ["a", "b", "c"].map((end) =>
      keyOfData(dataOf(ANNA, { text: `${"a".repeat(10_000)}${end}` }), ANNA),
    );
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe(keyOfData(dataOf(BEN, { text: `${"a".repeat(10_000)}a` }), BEN));
    expect(keys[0]?.length).toBeLessThan(1_000);
  });

  it("have another key without a picture", () => {
    const without = { ...ANNA, picture: null };
    expect(keyOfData(dataOf(without), without)).not.toBe(keyOfData(dataOf(BEN), BEN));
  });

  it("have another key with another text that is rendered without being sent, and keep it so", () => {
    const withText = (text: string) =>
      Object.defineProperty(dataOf(ANNA), "html", { value: text, enumerable: false });
    expect(keyOfData(withText("one"), ANNA)).not.toBe(keyOfData(withText("two"), ANNA));
    const replaced = replaceValues(withText("one"), ANNA, BEN) as { html: string };
    expect(replaced.html).toBe("one");
    expect(Object.keys(replaced)).toEqual(["viewer", "list"]);
  });

  it.each([
    ["a map", new Map([["a", 1]])],
    ["a promise", Promise.resolve(1)],
    ["a date", new Date()],
    ["an object of a class", new (class Reader {})()],
  ])("have no key if they hold %s", (_, value) => {
    expect(() => keyOfData({ value }, ANNA)).toThrow(NotPlainData);
    expect(() => replaceValues({ value }, ANNA, BEN)).toThrow(NotPlainData);
  });
});

describe("two stand-ins", () => {
  it("share nothing, and are never the same again", () => {
    const seen = new Set<string>();
    for (let count = 0; count < 100; count++) {
      const [one, other] = twoStandIns();
      const values = [one, other].flatMap(({ markers: { initial, ...rest } }) =>
        Object.values(rest),
      );
      expect(one.markers.initial).not.toBe(other.markers.initial);
      expect(one.values.email.length).toBeLessThan(other.values.email.length / 2);
      expect(one.values.email.at(0)).toBe(one.markers.initial);
      for (const value of values) {
        expect(value.length).toBeGreaterThan(15);
        expect(seen).not.toContain(value);
        seen.add(value);
      }
      expect(other.values.periodEnd?.slice(0, 4)).not.toBe(one.values.periodEnd?.slice(0, 4));
    }
  });
});
