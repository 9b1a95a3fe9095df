import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";

const TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

/** axe's findings on a page: each violated rule, with the elements. */
export async function axeViolations(
  page: Page,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .options({
      runOnly: TAGS,
      resultTypes: ["violations"],
      rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
    })
    // otherwise axe opens another page at the end, for frames we do not have
    .setLegacyMode()
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
