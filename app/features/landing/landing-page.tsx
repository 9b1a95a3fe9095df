import { type RefObject, useEffect, useRef } from "react";
import type { Site } from "~/features/site/site";
import { StaticSection, usePlainLinks } from "~/ui";
import { FaqSection } from "./faq-section";
import { type HeroContent, HeroSection } from "./hero-section";
import { NewsletterSection } from "./newsletter-section";
import { PremiumSection, type PremiumSectionProps } from "./premium-section";

type LandingPageProps = {
  /** The sections from About to Reviews, as props of `StaticSection`. */
  sections: { key: string; html?: string | undefined };
  hero: HeroContent;
  /** Whether the sections are those that the golden path joins. */
  hasPath: boolean;
  premium: PremiumSectionProps;
} & Pick<Site, "faq" | "newsletter">;

/** The landing page: its sections in order (specification, 2), joined by the golden path. */
export function LandingPage({
  sections,
  hero,
  hasPath,
  premium,
  faq,
  newsletter,
}: LandingPageProps) {
  const page = useRef<HTMLDivElement>(null);
  usePlainLinks(page);
  usePhotoFailures(page, sections.key);
  return (
    <div ref={page} className={`relative isolate overflow-x-clip ${hasPath ? "" : "without-path"}`}>
      <HeroSection {...hero} />
      <StaticSection id="sections" markupKey={sections.key} html={sections.html} />
      <PremiumSection {...premium} />
      {faq.length > 0 && <FaqSection faq={faq} />}
      <NewsletterSection {...newsletter} />
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
