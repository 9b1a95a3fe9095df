import { expect } from "vitest";
import type { BrowserWindow } from "./browsers/browser-window";
import { Reader } from "./browsers/reader";

/** A link to a section of the same page. */
type SectionLink = { name: string; within: string; section: string; inMenu: boolean };

/**
 * Follows every visible link to a section of the landing page from the page's top, and back and forward to the first
 * section. Returns the number of links.
 */
export async function followSectionLinks(window: BrowserWindow, origin: string): Promise<number> {
  const reader = new Reader(window, origin);
  await reader.visit("/");
  const links = await window.evaluate(findSectionLinks, null);
  for (const { name, within, section, inMenu } of links) {
    await window.evaluate(() => scrollTo({ top: 0, behavior: "instant" }), null);
    // going back restores the page as it was left, with its menu open
    const isOpen = await window.evaluate(hasOpenMenu, null);
    if (inMenu && !isOpen) await reader.click("Menu", "header");
    await reader.click(name, within);
    await reader.seesUnderHeader(section);
    if (section !== links[0]?.section) continue;
    await reader.goesBackAndForward();
    await reader.seesUnderHeader(section);
  }
  return links.length;
}

/** Runs in the page. */
function hasOpenMenu(_: null): boolean {
  return document.querySelector("header details[open]") !== null;
}

/** Leaves the landing page from its middle, and expects the same position after going back. */
export async function comeBack(window: BrowserWindow, origin: string): Promise<void> {
  const reader = new Reader(window, origin);
  await reader.visit("/");
  await window.wheel(900);
  const position = await reader.restingPosition();
  expect(position).toBeGreaterThan(500);
  await reader.visit("/auth");
  await reader.goesBackTo("/");
  expect(Math.abs((await reader.restingPosition()) - position)).toBeLessThanOrEqual(2);
}

/** Runs in the page. */
function findSectionLinks(_: null): SectionLink[] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a[href*='#'], a[href^='/sections/']")]
    .filter((link) => !link.closest(".skip-link, .toast"))
    .map((link) => ({
      name: (link.textContent ?? "").trim(),
      within: link.closest("header, main, footer")?.localName ?? "body",
      section: link.hash.slice(1) || link.pathname.replace("/sections/", ""),
      inMenu: link.closest("details") !== null,
      isShown: link.closest("details")?.checkVisibility() ?? link.checkVisibility(),
    }))
    .filter(({ isShown }) => isShown);
}
