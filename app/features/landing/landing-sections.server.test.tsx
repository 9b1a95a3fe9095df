import { expect, it } from "vitest";
import { shownWords } from "./shown-words.server";

it("says that the community opens later only until it is open", () => {
  const texts = (isCommunityOpen: boolean) =>
    shownWords(null, { isCommunityOpen }).benefits.map(({ text }) => text);

  expect(texts(true)).not.toEqual(texts(false));
  expect(texts(false)).not.toEqual(texts(true));
});
