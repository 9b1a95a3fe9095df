import { describe, expect, test } from "vitest";
import { ApiError } from "../engine/api-error";
import { decodeForm } from "../http/form";
import {
  boolean,
  changeMetadata,
  emptyable,
  hash,
  ignored,
  integer,
  list,
  metadata,
  oneOf,
  readParameters,
  required,
  text,
  timestampFilter,
  unsupported,
  url,
} from "./parameters";

const SET = {
  name: required(text(10)),
  count: integer(1, 100),
  active: boolean(),
  kind: oneOf("good", "service"),
  note: emptyable(text()),
  site: url(),
  meta: metadata(),
  items: list(hash({ price: required(text()) }), 2),
  created: timestampFilter(),
  ...ignored("colour"),
  ...unsupported("discounts"),
};

const read = (form: string) => readParameters(SET, decodeForm(form));

function rejection(form: string) {
  try {
    read(form);
  } catch (error) {
    if (error instanceof ApiError) return { code: error.body.code, param: error.body.param };
    throw error;
  }
  throw new Error("It was not rejected.");
}

describe("readParameters", () => {
  test("turns text into what each parameter is", () => {
    const values = read(
      "name=a&count=5&active=true&kind=good&note=&site=https%3A%2F%2Fa.b%2F%7BX%7D&meta[k]=v&items[1][price]=q&items[0][price]=p&colour=red",
    );
    expect(values).toMatchObject({
      name: "a",
      count: 5,
      active: true,
      kind: "good",
      note: null,
      site: "https://a.b/{X}",
      meta: { k: "v" },
      items: [{ price: "p" }, { price: "q" }],
      colour: undefined,
    });
  });

  test("understands a moment and bounds for one", () => {
    expect(read("name=a&created=5").created?.(5)).toBe(true);
    expect(read("name=a&created=5").created?.(6)).toBe(false);
    const within = read("name=a&created[gte]=5&created[lt]=7").created;
    expect([4, 5, 6, 7].map((seconds) => within?.(seconds))).toEqual([false, true, true, false]);
  });

  test.each([
    ["a missing one", "count=5", "parameter_missing", "name"],
    ["an unknown one", "name=a&size=5", "parameter_unknown", "size"],
    ["an inherited name", "name=a&constructor=5", "parameter_unknown", "constructor"],
    ["a missing one inside", "name=a&items[0]=", undefined, "items[0]"],
    ["an unknown one inside", "name=a&items[0][prise]=x", "parameter_unknown", "items[0][prise]"],
    ["an empty text", "name=", "parameter_invalid_empty", "name"],
    ["a text that is too long", "name=12345678901", undefined, "name"],
    ["a fraction", "name=a&count=1.5", "parameter_invalid_integer", "count"],
    ["a number out of bounds", "name=a&count=101", "parameter_invalid_integer", "count"],
    ["a boolean that is none", "name=a&active=yes", undefined, "active"],
    ["a word that is none of the words", "name=a&kind=bad", undefined, "kind"],
    ["an address without a scheme", "name=a&site=a.b", "url_invalid", "site"],
    ["a script for an address", "name=a&site=javascript:x", "url_invalid", "site"],
    [
      "a list that is too long",
      "name=a&items[0][price]=a&items[1][price]=b&items[2][price]=c",
      undefined,
      "items",
    ],
    ["a hash for a text", "name[a]=1", undefined, "name"],
    ["deep metadata", "name=a&meta[a][b]=1", undefined, "meta[a]"],
    ["a parameter the sandbox does not support", "name=a&discounts[0]=x", undefined, "discounts"],
  ])("rejects %s", (_what, form, code, param) => {
    expect(rejection(form)).toEqual({ code, param });
  });
});

describe("changeMetadata", () => {
  test("sets, keeps and removes keys", () => {
    expect(changeMetadata({ a: "1", b: "2" }, { b: "", c: "3" })).toEqual({ a: "1", c: "3" });
    expect(changeMetadata({ a: "1" }, null)).toEqual({});
    expect(changeMetadata({ a: "1" }, undefined)).toEqual({ a: "1" });
  });
});
