import { AboutSection } from "./about-section";
import { AuthorSection } from "./author-section";
import { PathCrossing } from "./golden-path";
import { HeroSection } from "./hero-section";
import { NewsletterSection } from "./newsletter-section";
import { PremiumSection } from "./premium-section";
import { type PreviewContent, PreviewSection } from "./preview-section";
import { ReviewsSection } from "./reviews-section";

/** The landing page's sections in their order (specification, 2), joined by the golden path. */
export function LandingPage({ preview }: { preview: PreviewContent }) {
  return (
    <div className="relative isolate overflow-x-clip">
      <HeroSection />
      <PathCrossing from="cover" to="left" />
      <AboutSection />
      <PreviewSection {...preview} />
      <PathCrossing from="page" to="portrait" />
      <AuthorSection />
      <PathCrossing from="belowPortrait" to="besideReviews" />
      <ReviewsSection />
      <PremiumSection />
      <NewsletterSection />
    </div>
  );
}
