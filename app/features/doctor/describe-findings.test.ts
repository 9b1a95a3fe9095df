import { expect, it } from "vitest";
import { describeFindings } from "./describe-findings";

it("is a line for what is well, and two for each thing that is not", () => {
  expect(
    describeFindings([
      { area: "disk", what: "DATA_DIR", level: "ok", found: "12 GB free, 40 %" },
      { area: "mail", what: "server", level: "ok", found: "answers" },
      { area: "mail", what: "SPF", level: "problem", found: "none", advice: "Add one." },
      { area: "mail", what: "DMARC", level: "warning", found: "not looked up" },
    ]),
  ).toEqual([
    "✓ disk  DATA_DIR: 12 GB free, 40 %",
    "✓ mail  server: answers",
    "✗ mail  SPF: none",
    "        → Add one.",
    "! mail  DMARC: not looked up",
    "",
    "1 problem (✗), 1 warning (!). Begin with the first.",
  ]);
});
