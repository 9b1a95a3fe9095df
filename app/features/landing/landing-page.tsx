import { type RefObject, useEffect, useRef } from "react";
import type { LandingImage } from "~/features/library/landing-words";
import { StaticSection, usePlainLinks } from "~/ui";
import { HeroSection } from "./hero-section";
import type { ShownWords } from "./landing-words-context";
import { NewsletterSection } from "./newsletter-section";
import { PremiumSection } from "./premium-section";

type LandingPageProps = {
  /** The sections from About to Reviews, as props of `StaticSection`. */
  sections: { key: string; html?: string | undefined };
  /** The edition's own photograph for the book's jacket. */
  jacket: LandingImage | null;
  benefits: ShownWords["benefits"];
};

/** The landing page: its sections in order (specification, 2), joined by the golden path. */
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

/**
 * Makes pictures that failed to load within an element transparent, so the drawing behind each shows. `markup` must
 * change with the pictures.
 */
function usePhotoFailures(within: RefObject<HTMLElement | null>, markup: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other markup has other pictures.
  useEffect(() => {
    const element = within.current;
    const giveUp = (image: HTMLImageElement) => {
      image.dataset.failed = "";
    };
    for (const image of element?.querySelectorAll<HTMLImageElement>("img.photo") ?? []) {
      // it may have failed before hydration
      if (image.complete && image.naturalWidth === 0) giveUp(image);
    }
    const onError = ({ target }: Event) => {
      if (target instanceof HTMLImageElement && target.matches(".photo")) giveUp(target);
    };
    // image errors do not bubble
    element?.addEventListener("error", onError, true);
    return () => element?.removeEventListener("error", onError, true);
  }, [within, markup]);
}
