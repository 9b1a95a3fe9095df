import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Viewer, ViewerProfile } from "~/features/accounts/viewer";
import {
  derivedValue,
  keyOfData,
  NotPlainData,
  type PersonalValues,
  personalValues,
  replaceValues,
  twoStandIns,
} from "./stand-in-viewer.server";

const ANNA: PersonalValues = {
  user: "1",
  email: "anna@book.test",
  texts: ["/avatars/1.webp", "11"],
  instants: ["2027-01-02T03:04:05.678Z", "2026-12-31T23:59:59.999Z"],
};
const BEN: PersonalValues = {
  user: "2",
  email: "ben@book.test",
  texts: ["/avatars/2.webp", "22"],
  instants: ["2027-02-03T04:05:06.789Z", "2026-03-04T05:06:07.890Z"],
};

/** What a loader returns for a viewer. */
const dataOf = ({ user, email, texts, instants }: PersonalValues, more: object = {}) => ({
  viewer: { user, email, picture: texts[0], end: instants[0], isSubscribed: true },
  sessions: [{ id: texts[1], lastSeen: instants[1] }],
  list: [email, "a text", 3, null, undefined],
  ...more,
});

const LONG_TEXT = "a".repeat(10_000);
const DIGEST = createHash("sha256").update(LONG_TEXT).digest("base64");

describe("a viewer's data", () => {
  it("become another's, value by value", () => {
    expect(replaceValues(dataOf(ANNA), ANNA, BEN)).toEqual(dataOf(BEN));
  });

  it("become the first of another's where two values are the same, and stay where the other has none", () => {
    const same: PersonalValues = { ...ANNA, texts: [ANNA.user, "11", "12"] };
    const data = { user: ANNA.user, picture: ANNA.user, session: "11", passkey: "12" };
    expect(replaceValues(data, same, BEN)).toEqual({
      user: BEN.user,
      picture: BEN.user,
      session: "22",
      passkey: "12",
    });
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
    ["a list and what has its names", ["a"], { 0: "a", length: 1 }],
    ["one personal value and another", ANNA.user, ANNA.email],
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
    const withPicture = { ...dataOf(ANNA), picture: ANNA.texts[0] };
    const without = { ...dataOf(BEN), picture: null };
    expect(keyOfData(without, BEN)).not.toBe(keyOfData(withPicture, ANNA));
  });

  it("have another key where two values are the same", () => {
    const [first = "", second = ""] = ANNA.instants;
    const seenOnce = { ...ANNA, instants: [first] };
    const data = dataOf(ANNA);
    const sameData = JSON.parse(JSON.stringify(data).replaceAll(second, first));
    expect(keyOfData(sameData, seenOnce)).not.toBe(keyOfData(dataOf(BEN), BEN));
    expect(keyOfData(sameData, seenOnce)).toBe(
      keyOfData(
        JSON.parse(
          JSON.stringify(dataOf(BEN)).replaceAll(String(BEN.instants[1]), String(BEN.instants[0])),
        ),
        { ...BEN, instants: BEN.instants.slice(0, 1) },
      ),
    );
  });

  it("have another key with another text that is rendered without being sent, and keep it so", () => {
    const withText = (text: string) =>
      Object.defineProperty(dataOf(ANNA), "html", { value: text, enumerable: false });
    expect(keyOfData(withText("one"), ANNA)).not.toBe(keyOfData(withText("two"), ANNA));
    const replaced = replaceValues(withText("one"), ANNA, BEN) as { html: string };
    expect(replaced.html).toBe("one");
    expect(Object.keys(replaced)).toEqual(["viewer", "sessions", "list"]);
  });

  describe("with an object that is frozen, as it is made for all viewers,", () => {
    const frozen = (text: string) =>
      Object.freeze({ title: text, list: Object.freeze([text, null, 3, undefined]) });

    it("have the key of all whose data hold one that says the same", () => {
      const [one, same] = [frozen("one"), frozen("one")];
      const key = keyOfData(dataOf(ANNA, { one }), ANNA);
      expect(keyOfData(dataOf(BEN, { one }), BEN)).toBe(key);
      expect(keyOfData(dataOf(BEN, { one: same }), BEN)).toBe(key);
    });

    it.each([
      ["another text", frozen("two")],
      ["the text that its key is made of", `{5:title="3:one,4:list=["3:one,null,3,undefined,],}`],
      ["no text", null],
    ])("have another key than with %s", (_, other) => {
      const key = keyOfData({ more: frozen("one") }, ANNA);
      expect(keyOfData({ more: other }, ANNA)).not.toBe(key);
    });

    it("keep it as it is, and are told apart by it, even where it holds a viewer's value", () => {
      const one = frozen(ANNA.email);
      const replaced = replaceValues(dataOf(ANNA, { one }), ANNA, BEN);
      expect(replaced).toEqual(dataOf(BEN, { one }));
      expect((replaced as { one: unknown }).one).toBe(one);
      const own = { one: frozen(BEN.email) };
      expect(keyOfData(dataOf(BEN, own), BEN)).not.toBe(keyOfData(dataOf(ANNA, { one }), ANNA));
    });

    it.each([
      ["holds one that is not", () => ({ inner: { text: "" } })],
      ["holds one that is not, beside others", () => ({ name: null, inner: { text: "" }, at: 3 })],
      [
        "holds one that is not, which is rendered without being sent",
        () => Object.defineProperty({}, "inner", { value: { text: "" }, enumerable: false }),
      ],
      [
        "computes one",
        () => {
          const inner = { text: "" };
          return {
            get inner() {
              return inner;
            },
          };
        },
      ],
    ])("take it for their own where it %s", (_, make) => {
      const more = make() as { inner: { text: string } };
      Object.freeze(more);
      const keys = ["one", ANNA.email, "two"].map((text) => {
        more.inner.text = text;
        return keyOfData({ more }, ANNA);
      });
      expect(new Set(keys).size).toBe(3);
      more.inner.text = ANNA.email;
      const { more: replaced } = replaceValues({ more }, ANNA, BEN) as { more: typeof more };
      expect(replaced.inner.text).toBe(BEN.email);
    });
  });

  it.each([
    ["a map", new Map([["a", 1]])],
    ["a promise", Promise.resolve(1)],
    ["a date", new Date()],
    ["an object of a class", new (class Reader {})()],
    ["a frozen object with a date", Object.freeze({ date: Object.freeze(new Date()) })],
  ])("have no key if they hold %s", (_, value) => {
    expect(() => keyOfData({ value }, ANNA)).toThrow(NotPlainData);
    expect(() => replaceValues({ value }, ANNA, BEN)).toThrow(NotPlainData);
  });
});

describe("a viewer's personal values", () => {
  const profile: ViewerProfile = {
    stripe_price_id: "price_1",
    stripe_current_period_end: "2027-01-02T03:04:05.678Z",
    outlook: { kind: "renews" },
    trouble: null,
    price: null,
    hasInvoices: true,
  };
  const viewer: Viewer = {
    user: { id: "1", email: "anna@book.test", user_metadata: { avatar_url: "/avatars/1.webp" } },
    profile,
    isSubscribed: true,
  };

  it("are those of the viewer, and of what the page lists, each once", () => {
    const own = {
      texts: ["/avatars/1.webp", "11", null],
      instants: [null, "2026-12-31T23:59:59.999Z", "2026-12-31T23:59:59.999Z"],
    };
    expect(personalValues(viewer, own)).toEqual({
      user: "1",
      email: "anna@book.test",
      texts: ["/avatars/1.webp", "11"],
      instants: ["2027-01-02T03:04:05.678Z", "2026-12-31T23:59:59.999Z"],
    });
  });

  it("hold the end of a membership that is known to end", () => {
    const at = "2026-12-31T23:59:59.999Z";
    const ending = { ...viewer, profile: { ...profile, outlook: { kind: "ends", at } as const } };
    expect(personalValues(ending).instants).toEqual([profile.stripe_current_period_end, at]);
  });

  it("are no instants without a membership", () => {
    expect(personalValues({ ...viewer, profile: null, isSubscribed: false })).toEqual({
      user: "1",
      email: "anna@book.test",
      texts: ["/avatars/1.webp"],
      instants: [],
    });
  });

  it("are shown as a first letter and as days in UTC", () => {
    const names = ["initial", "day0", "day1", "day2", "text0", "length", "1"];
    expect(names.map((name) => derivedValue(ANNA, name))).toEqual([
      "A",
      "January 2, 2027",
      "December 31, 2026",
      ...Array(4).fill(undefined),
    ]);
  });
});

describe("two stand-ins", () => {
  it("share nothing, and are never the same again", () => {
    const seen = new Set<string>();
    for (let count = 0; count < 100; count++) {
      const [one, other] = twoStandIns(ANNA);
      const values = [one, other].flatMap(({ markers: { initial, day0, day1, ...rest } }) =>
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
    }
  });

  it("have as many values as their viewer", () => {
    for (const { values } of twoStandIns(ANNA)) {
      expect(values.texts).toHaveLength(2);
      expect(values.instants).toHaveLength(2);
    }
    for (const { values } of twoStandIns({ ...ANNA, texts: [], instants: [] })) {
      expect(values).toMatchObject({ texts: [], instants: [] });
    }
  });

  it("have instants that are over and such as are to come, in opposite orders", () => {
    const day = (index: number) => new Date(Date.UTC(2026, 0, index)).toISOString();
    const instants = [2, 1, 3, 100, 50].map(day);
    for (let count = 0; count < 100; count++) {
      const [one, other] = twoStandIns({ ...ANNA, instants });
      const order = (values: PersonalValues) =>
        values.instants
          .map((instant, index) => ({ time: Date.parse(instant), index }))
          .sort((a, b) => a.time - b.time)
          .map(({ index }) => index);
      expect(order(one.values)).toEqual([1, 0, 2, 4, 3]);
      expect(order(other.values)).toEqual([3, 4, 2, 0, 1]);
      const now = Date.now();
      expect(one.values.instants.every((instant) => Date.parse(instant) < now)).toBe(true);
      expect(other.values.instants.every((instant) => Date.parse(instant) > now)).toBe(true);
      // years of more digits are written otherwise
      for (const { values } of [one, other]) {
        for (const instant of values.instants) expect(instant).toMatch(/^\d{4}-/);
      }
      const days = [one, other].flatMap(({ markers }) =>
        instants.map((_, i) => markers[`day${i}`]),
      );
      expect(new Set(days).size).toBe(10);
    }
  });
});
