import { AboutSection } from "./about-section";
import { AuthorSection } from "./author-section";
import { PathCrossing } from "./golden-path";
import { HeroSection } from "./hero-section";
import { NewsletterSection } from "./newsletter-section";
import { PremiumSection } from "./premium-section";
import { PreviewSection } from "./preview-section";
import { ReviewsSection } from "./reviews-section";

/** The landing page's sections in the specification's order, joined by the golden path. */
export function LandingPage() {
  return (
    <div className="relative isolate overflow-x-clip">
      <HeroSection />
      <PathCrossing to="left" />
      <AboutSection />
      <PathCrossing to="right" />
      <PreviewSection />
      <PathCrossing to="left" />
      <AuthorSection />
      <PathCrossing to="right" />
      <ReviewsSection />
      <PremiumSection />
      <NewsletterSection />
    </div>
  );
}
