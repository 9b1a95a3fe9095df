import { expect, it } from "vitest";
import { deviceName } from "./device-name";

it.each([
  ["Chrome on Linux", "Chrome", "Linux"],
  ["Chrome", "Chrome", null],
  ["Linux", null, "Linux"],
  ["A browser", null, null],
])("a device is called %s", (name, browser, system) => {
  expect(deviceName({ browser, system }, "A browser")).toBe(name);
});
