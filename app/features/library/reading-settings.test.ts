import { expect, it } from "vitest";
import { changeReadingSettings, DEFAULT_READING_SETTINGS } from "./reading-settings";

it("changes the theme or the text size, and keeps the other", () => {
  const night = changeReadingSettings(DEFAULT_READING_SETTINGS, { theme: "night" });
  expect(night).toEqual({ theme: "night", size: "2" });
  expect(night && changeReadingSettings(night, { size: "4" })).toEqual({
    theme: "night",
    size: "4",
  });
});

it.each([
  { theme: "sepia" },
  { size: "5" },
  { size: 2 },
  { theme: ["night", "paper"] },
  { theme: null },
])("rejects any other value: %j", (fields) => {
  expect(changeReadingSettings(DEFAULT_READING_SETTINGS, fields)).toBeNull();
});
