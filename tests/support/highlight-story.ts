import { expect } from "vitest";
import { escapeRegExp } from "~/server/escape-reg-exp";
import type { BrowserWindow } from "./browsers/browser-window";
import { Reader } from "./browsers/reader";
import type { E2eSite } from "./e2e-site";
import { Visitor } from "./http-client";

const CHAPTER = "/premium/chapters/the-weight-you-carry";

/** Highlights a passage, writes a note on it, finds it in the list and deletes it: in any browser, with and without JavaScript. */
export async function highlightAndNote(
  window: BrowserWindow,
  { site, javaScript }: { site: E2eSite; javaScript: boolean },
): Promise<void> {
  const reader = new Reader(window, site.origin);
  const email = site.newEmail();
  await new Visitor(site.origin).signUp(email);
  await site.setProfile(email, {
    stripePriceId: "price_1",
    stripeCurrentPeriodEnd: new Date(Date.now() + 86_400_000),
  });
  await reader.visit("/auth");
  await reader.fill("Email", email, "main");
  await reader.fill("Password", "a long walk", "main");
  await reader.click("Log In", "main");
  await reader.sees("h1", "The Golden Path");
  await reader.visit(CHAPTER);
  const note = "Why here?";

  if (javaScript) {
    // until the page is hydrated, nothing listens
    await expect
      .poll(
        async () => {
          await window.evaluate(select, null);
          return window.evaluate(() => document.querySelector(".passage-tools") !== null, null);
        },
        // the tools wait for a pause
        { interval: 1_000 },
      )
      .toBe(true);
    const words = await window.evaluate(() => getSelection()?.toString().trim() ?? "", null);
    await reader.click("Green", ".passage-tools");
    await reader.sees("#text mark.highlight-2", words);
    await reader.click("Change green highlight", "#text");
    await reader.click("Note", ".passage-tools");
    await expect
      .poll(() => window.evaluate(() => document.activeElement?.tagName, null))
      .toBe("TEXTAREA");
    await window.type(note);
    await reader.click("Save note", ".passage-tools");
  } else {
    await reader.click("Highlight a passage", "main");
    await reader.click("Next paragraph", "main");
    await reader.sees("legend", /^Sentences in paragraph 2 of/);
    await reader.click("Save highlight", "main");
    await reader.seesToast("Highlight saved");
    await reader.click("Change yellow highlight", "#text");
    await reader.sees("h1", "Change this highlight");
    await window.evaluate(() => document.querySelector<HTMLElement>("[name=note]")?.focus(), null);
    await window.type(note);
    await reader.click("Save highlight", "main");
  }
  await reader.sees("#highlights li", new RegExp(`${escapeRegExp(note)}$`));

  await reader.click("All your highlights", "main");
  await reader.sees("h1", "Your highlights");
  await reader.sees("li", new RegExp(escapeRegExp(note)));
  await reader.click("Delete", "main");
  await reader.seesToast("Highlight deleted");
  await reader.sees("[role=status]", /^You don’t have any highlights yet\./);
  expect(window.errors).toEqual([]);
}

/** Runs in the page: selects the beginning of the second paragraph, as a pointer would. */
function select(_: null): void {
  const text = document.createTreeWalker(document.getElementById("p2") as Element, 4).nextNode();
  if (text) getSelection()?.setBaseAndExtent(text, 0, text, 24);
  document.getElementById("p2")?.scrollIntoView({ block: "center", behavior: "instant" });
}
