import { useRef } from "react";
import type { LandingImage } from "~/features/library/landing-words";
import { StaticSection } from "~/ui/static-section";
import { usePlainLinks } from "~/ui/use-plain-links";
import { HeroSection } from "./hero-section";
import type { ShownWords } from "./landing-words-context";
import { NewsletterSection } from "./newsletter-section";
import { PremiumSection } from "./premium-section";
import { usePhotoFailures } from "./use-photo-failures";

type LandingPageProps = {
  /** The sections from About to Reviews, as `StaticSection` takes them. */
  sections: { key: string; html?: string | undefined };
  /** The edition's own photograph on the book's jacket. */
  jacket: LandingImage | null;
  benefits: ShownWords["benefits"];
};

/** The landing page's sections in their order (specification, 2), joined by the golden path. */
export function LandingPage({ sections, jacket, benefits }: LandingPageProps) {
  const page = useRef<HTMLDivElement>(null);
  usePlainLinks(page);
  usePhotoFailures(page, sections.key);
  return (
    <div ref={page} className="relative isolate overflow-x-clip">
      <HeroSection jacket={jacket} />
      <StaticSection id="sections" markupKey={sections.key} html={sections.html} />
      <PremiumSection benefits={benefits} />
      <NewsletterSection />
    </div>
  );
}
