import { hash } from "node:crypto";
import { renderToStaticMarkup } from "react-dom/server";
import { AboutSection } from "./about-section";
import { AuthorSection } from "./author-section";
import { PathCrossing } from "./golden-path";
import { LandingWordsContext, type ShownWords } from "./landing-words-context";
import { type PreviewContent, PreviewSection } from "./preview-section";
import { ReviewsSection } from "./reviews-section";

/** Markup with a key that identifies it. */
export type StaticMarkup = { key: string; html: string };

/** The latest one only, since there is one edition. */
let latest: (StaticMarkup & { shown: string }) | undefined;

/**
 * Renders the landing page's sections from About to Reviews, which are static and the same for everyone. Cached for
 * the same words and preview.
 */
export function landingSections(words: ShownWords, preview: PreviewContent): StaticMarkup {
  const shown = JSON.stringify([words, preview]);
  if (latest?.shown === shown) return latest;
  const html = renderToStaticMarkup(
    <LandingWordsContext.Provider value={words}>
      <PathCrossing from="cover" to="left" />
      <AboutSection />
      <PreviewSection {...preview} />
      <PathCrossing from="page" to="portrait" />
      <AuthorSection />
      <PathCrossing from="belowPortrait" to="besideReviews" />
      <ReviewsSection />
    </LandingWordsContext.Provider>,
    // the page around them has ids too
    { identifierPrefix: "sections" },
  );
  latest = { shown, html, key: hash("sha256", html, "base64url").slice(0, 12) };
  return latest;
}
