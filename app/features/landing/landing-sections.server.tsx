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

/** The landing page's sections from About to Reviews, which are the same for everybody and in which nothing moves. */
export function landingSections(words: ShownWords, preview: PreviewContent): StaticMarkup {
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
    // the page around them has ids of its own
    { identifierPrefix: "sections" },
  );
  return { html, key: hash("sha256", html, "base64url").slice(0, 12) };
}
