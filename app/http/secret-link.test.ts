import { describe, expect, it } from "vitest";
import { secretInAddress } from "./secret-link";

const TOKENS = [
  "3Dk-A_q0vYb1mZ2cX3nW4lS5oR6pT7uE8iG9jH-aB_c",
  "3Dk-A_q0vYb1mZ2cX3nW4l",
  "3b241101-e2bb-4255-8caf-4136c566a962.k-A_q0vYb1mZ2cX3nW4lS5oR6pT7uE8iG9jH-aB_c3D",
];

const secretIn = (query: string) => secretInAddress(new Request(`https://book.example/x?${query}`));

describe.each(TOKENS)("the token %s in a link", (token) => {
  it.each([
    "",
    // haswellr/CritterDB#61, everything2/everything2#235, DemocracyClub/UK-Polling-Stations#6926
    ".",
    // dachcom-digital/pimcore-members#136
    "!",
    ")",
    "]",
    ">",
    "%3E",
    "%22",
    "\u201d",
    "&gt;",
    ".Thanks",
    "%0D%0A",
    "\u200b",
    // as the emphasis of Markdown
    "_",
    "**",
    // the soft line break of quoted-printable (wekan/wekan#1062)
    "=",
    "%3D",
    "=%0D%0A",
  ])("is found before %j", (stuck) => {
    expect(secretIn(`token=${token}${stuck}`)).toBe(token);
  });

  it("is found where quoted-printable was not decoded, or the link was folded", () => {
    // epochtalk/epochtalk#752
    expect(secretIn(`token=3D${token}`)).toBe(token);
    expect(secretIn(`token=%3D3D${token}=`)).toBe(token);
    expect(secretIn(`token=<${token}>`)).toBe(token);
    for (const fold of ["=", "=%0A", "%0D%0A%20"]) {
      expect(secretIn(`token=${token.slice(0, 9)}${fold}${token.slice(9)}`)).toBe(token);
    }
  });
});

it("is what was given where there is no token", () => {
  expect(secretIn("")).toBe("");
  const cut = ["abc.", "3b241101-e2bb-4255-8caf-4136c566a962.k-A_q", "3Dk-A_q0vYb1mZ2cX3nW4lS5oR"];
  for (const given of cut) expect(secretIn(`token=${given}`)).toBe(given);
});
