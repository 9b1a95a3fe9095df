import { env } from "~/env.server";
import { COMMUNITY_LATER } from "~/features/site/sample-site";
import { hasStockPhoto, type Site } from "~/features/site/site";
import { landingSections } from "./landing-sections.server";
import { loadPreviewContent } from "./preview-content.server";

/**
 * Loads what the landing page shows of a site and of the edition. `isReadable` is false if chapter 1 could not be read just
 * now.
 */
export async function loadLanding(site: Site) {
  const { preview, isReadable } = await loadPreviewContent(site, new Date());
  const { premium, faq, newsletter, photos, price, rating, readers, badge, isSample } = site;
  return {
    sections: landingSections(site, preview),
    isReadable,
    hero: { photo: photos.hero, price, rating, readers, badge },
    premium: {
      ...premium,
      benefits: benefitsNow(premium.benefits),
      communityIsOpen: env().COMMUNITY !== null,
    },
    faq,
    newsletter,
    hasPath: isSample || isWhole(site),
    hasStockPhoto: hasStockPhoto(site),
  };
}

/** Whether the landing page has the sections, portrait and reviews of the sample's. */
const isWhole = ({ about, features, photos, reviews }: Site) =>
  about !== null && features.length === 3 && photos.author !== null && reviews.length === 3;

/** The sample's benefits say that the community opens later only until it is open. */
function benefitsNow(benefits: Site["premium"]["benefits"]) {
  if (env().COMMUNITY === null) return benefits;
  return benefits.map(({ title, text }) => ({ title, text: text.replace(COMMUNITY_LATER, "") }));
}
