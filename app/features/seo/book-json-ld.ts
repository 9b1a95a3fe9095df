import type { MetaDescriptor } from "@remix-run/node";
import type { Site } from "~/features/site/site";

type BookFacts = Pick<
  Site,
  "isSample" | "title" | "subtitle" | "author" | "publisher" | "language" | "price"
>;

/**
 * Returns the book's structured data: a schema.org Book (specification, 9). It has no rating, since none can be checked
 * by this program. `image` is the address of its picture. Remix escapes `<`, `>` and `&` when it renders the script
 * element.
 */
export function bookJsonLd(origin: string, image: string, book: BookFacts): MetaDescriptor {
  const { isSample, title, subtitle, author, publisher, language, price } = book;
  return {
    "script:ld+json": {
      "@context": "https://schema.org",
      "@type": "Book",
      "@id": `${origin}/#book`,
      name: title,
      url: `${origin}/`,
      image,
      ...(subtitle && { description: subtitle }),
      inLanguage: language,
      ...(isSample && { genre: "Self-help" }),
      ...(author && { author: { "@type": "Person", name: author } }),
      ...(publisher && { publisher: { "@type": "Organization", name: publisher } }),
      ...(price && {
        offers: {
          "@type": "Offer",
          url: `${origin}/`,
          price: price.amount,
          priceCurrency: price.currency,
        },
      }),
    },
  };
}
