import { expect, it } from "vitest";
import { named } from "./doctor-finding";

const ids = (count: number) => Array.from({ length: count }, (_, i) => `cus_${i + 1}`);

it("names up to twenty ids, and then how many more there are", () => {
  expect(named(["cus_1"])).toBe("cus_1");
  expect(named(ids(20))).toBe(ids(20).join(", "));
  expect(named(ids(21))).toBe(`${ids(20).join(", ")} and 1 more`);
  expect(named(ids(1_020))).toBe(`${ids(20).join(", ")} and 1000 more`);
});
