import { afterEach, expect, it, vi } from "vitest";
import { HONEYPOT_FIELD } from "~/ui";
import { watchLog } from "../../tests/support/log";
import { metricValue } from "../../tests/support/metrics";
import { isSpam } from "./honeypot.server";

afterEach(() => vi.restoreAllMocks());

const caught = () => metricValue("rate_limited_total", { limited: "honeypot", by: "field" });

it.each([{}, { [HONEYPOT_FIELD]: "" }, { email: "reader@example.test" }])(
  "a form with %j is not spam",
  async (fields) => {
    const [lines, before] = [watchLog(), await caught()];
    expect(isSpam(fields)).toBe(false);
    expect(lines).toEqual([]);
    expect(await caught()).toBe(before);
  },
);

it.each(["x", " ", ["", "x"]])(
  "a form whose honeypot holds %j is spam, counted and logged",
  async (value) => {
    const [lines, before] = [watchLog(), await caught()];
    expect(isSpam({ [HONEYPOT_FIELD]: value })).toBe(true);
    expect(lines).toHaveLength(1);
    expect(await caught()).toBe(before + 1);
  },
);
