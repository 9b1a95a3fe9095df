import { describe, expect, it } from "vitest";
import { emailSchema, readableEmail, readEmail } from "./email-address.server";

const NO_ADDRESS = "Unable to validate email address: invalid format";
const UNSEEN = "There’s a space or an invisible character in the email address.";
const ACCENT = "Before the @, an email address can only have letters without accents.";
const MUNICH = "anna@xn--mnchen-3ya.example";

/** Returns a valid address of this length in characters. */
const addressOf = (length: number) => "@example.test".padStart(length, "a");

/** Returns the toast's text about an address; undefined if it is accepted. */
const problemOf = (address: unknown) => emailSchema.safeParse(address).error?.issues[0]?.message;

describe("an email address", () => {
  it.each([
    ["\t Reader@Example.TEST \n", "reader@example.test"],
    // as Firefox, Chromium, a phone, a Mac and an input method for Chinese send it (mozilla/persona#1370)
    ["anna@münchen.example", MUNICH],
    [MUNICH, MUNICH],
    ["ANNA@MÜNCHEN.EXAMPLE", MUNICH],
    ["anna@mu\u0308nchen.example", MUNICH],
    ["anna@münchen。example", MUNICH],
    ["ANNA@XN--MNCHEN-3YA.example", MUNICH],
    // not ss, which is another domain
    ["a@straße.example", "a@xn--strae-oqa.example"],
    ["a@пример.рф", "a@xn--e1afmkfd.xn--p1ai"],
    // a prefix of which is international (mailgun/flanker#160)
    ["a@post.xn--mnchen-3ya.рф", "a@post.xn--mnchen-3ya.xn--p1ai"],
    // the grave accent as U+1FEF, and the Kelvin sign
    ["a\u1FEFb@example.test", "a`b@example.test"],
    ["\u212Aurt@example.test", "kurt@example.test"],
  ])("has one canonical form: %j", (typed, canonical) => {
    expect(readEmail(typed)).toBe(canonical);
  });

  // validatorjs/validator.js#940, churchthemes/church-theme-framework#16, jstanden/cerb#1349
  it.each([
    ..."\u200b\u200d\u2060\ufeff\u00ad\u200e\u202a\u2069\u061c\u180e\u3164\ufe0f\u00a0\u2003\u3000\u2028\u0000\u2800",
  ])(
    "loses an invisible character at its ends, and is refused with a word about one inside: %j",
    (unseen) => {
      expect(readEmail(`${unseen} ${unseen}anna@münchen.example${unseen}`)).toBe(MUNICH);
      for (const text of [`an${unseen}na@example.test`, `anna@mün${unseen}chen.example`]) {
        expect(problemOf(text)).toBe(UNSEEN);
      }
    },
  );

  it("has up to 254 characters in canonical form, between up to 100 others", () => {
    expect(readEmail(addressOf(254).padStart(354))).toBe(addressOf(254));
    expect(problemOf(addressOf(255))).toBe(NO_ADDRESS);
    expect(problemOf(addressOf(254).padStart(355))).toBe(NO_ADDRESS);
    expect(problemOf(`${"a".repeat(240)}@müü.example`)).toBe(NO_ADDRESS);
  });

  it.each([
    ["", NO_ADDRESS],
    ["nonsense", NO_ADDRESS],
    ["a@b@c.test", NO_ADDRESS],
    ["a@\ufffd.test", NO_ADDRESS],
    // what a URL's host would end at, or decode
    ["a@bü.example/evil.example", NO_ADDRESS],
    ["a@bü.example?x", NO_ADDRESS],
    ["a@bü%2eexample", NO_ADDRESS],
    ["a@bü.example:25", NO_ADDRESS],
    ["a@ü\uff0fexample.test", NO_ADDRESS],
    ["a b@example.test", UNSEEN],
    ["josé@example.test", ACCENT],
    ["\u0430nna@example.test", ACCENT],
    [undefined, "Please enter your email address."],
  ])("is not %j", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
    expect(readEmail(text)).toBeNull();
  });

  it.each([
    [MUNICH, "anna@münchen.example"],
    ["a@xn--e1afmkfd.xn--p1ai", "a@пример.рф"],
    ["anna@example.test", "anna@example.test"],
    // stands for nothing, and for a joiner that would be refused if typed
    ["a@xn--a.example", "a@xn--a.example"],
    ["a@xn--mgba3gch31f060k.example", "a@xn--mgba3gch31f060k.example"],
  ])("is shown so that it can be typed again: %s", (stored, shown) => {
    expect(readableEmail(stored)).toBe(shown);
    expect(readEmail(shown)).toBe(stored);
  });
});
