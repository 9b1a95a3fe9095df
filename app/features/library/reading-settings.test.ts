import { expect, it } from "vitest";
import { changeReadingSettings, toReadingSettings } from "./reading-settings";

const INITIAL = toReadingSettings(null);

it("changes the settings that are posted, and keeps the others", () => {
  const night = changeReadingSettings(INITIAL, { theme: "night", redirectTo: "/" });
  expect(night).toEqual({ ...INITIAL, theme: "night" });
  expect(night && changeReadingSettings(night, { size: "larger" })).toMatchObject({
    theme: "night",
    size: "larger",
  });
});

it.each([
  { theme: "dusk" },
  { size: 2 },
  { theme: ["night", "paper"] },
  { theme: null },
  { justified: "toString" },
])("rejects any other value: %j", (fields) => {
  expect(changeReadingSettings(INITIAL, fields)).toBeNull();
});

it.each([null, "night", 7, { theme: "dusk", measure: 3 }])(
  "takes the initial choice for what is stored and is none: %j",
  (stored) => expect(toReadingSettings(stored)).toEqual(INITIAL),
);
