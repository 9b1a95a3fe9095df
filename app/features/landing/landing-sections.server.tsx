import { hash } from "node:crypto";
import { renderToStaticMarkup } from "react-dom/server";
import { pageSite } from "~/features/site/page-site.server";
import type { Site } from "~/features/site/site";
import { AboutSection } from "./about-section";
import { AuthorSection } from "./author-section";
import { PathCrossing } from "./golden-path";
import { LandingSiteContext } from "./landing-site-context";
import { type PreviewContent, PreviewSection } from "./preview-section";
import { ReviewsSection } from "./reviews-section";

/** Markup with a key that identifies it. */
export type StaticMarkup = { key: string; html: string };

/** The latest one only, since there is one edition. */
let latest: (StaticMarkup & { shown: string }) | undefined;

/**
 * Renders the landing page's sections from About to Reviews, which are static and the same for everyone. Cached for
 * the same site and preview.
 */
export function landingSections(site: Site, preview: PreviewContent): StaticMarkup {
  const shown = JSON.stringify([site, preview]);
  if (latest?.shown === shown) return latest;
  const has = new Set(pageSite(site).sections);
  const html = renderToStaticMarkup(
    <LandingSiteContext.Provider value={site}>
      <PathCrossing from="cover" to="margin" />
      {has.has("about") && <AboutSection />}
      <PreviewSection {...preview} />
      {has.has("author") && (
        <>
          <PathCrossing from="page" to="portrait" />
          <AuthorSection />
        </>
      )}
      {has.has("reviews") && (
        <>
          <PathCrossing from="belowPortrait" to="right" />
          <ReviewsSection />
        </>
      )}
    </LandingSiteContext.Provider>,
    // the page around them has ids too
    { identifierPrefix: "sections" },
  );
  latest = { shown, html, key: hash("sha256", html, "base64url").slice(0, 12) };
  return latest;
}
