import type { MetaDescriptor } from "@remix-run/node";
import {
  AUTHOR_NAME,
  BOOK_DESCRIPTION,
  BOOK_PRICE,
  BOOK_TITLE,
  RATING,
  REVIEW_COUNT,
} from "~/book";

/**
 * Structured data for search engines: a schema.org Book with author, rating and offer (specification, 9).
 * `image` is the address of its picture. Remix escapes `<`, `>` and `&` when it renders the script element.
 */
export function bookJsonLd(origin: string, image: string): MetaDescriptor {
  return {
    "script:ld+json": {
      "@context": "https://schema.org",
      "@type": "Book",
      "@id": `${origin}/#book`,
      name: BOOK_TITLE,
      url: `${origin}/`,
      image,
      description: BOOK_DESCRIPTION,
      inLanguage: "en",
      genre: "Self-help",
      author: { "@type": "Person", name: AUTHOR_NAME },
      aggregateRating: {
        "@type": "AggregateRating",
        ratingValue: RATING,
        bestRating: 5,
        reviewCount: REVIEW_COUNT,
      },
      offers: {
        "@type": "Offer",
        url: `${origin}/`,
        price: BOOK_PRICE,
        priceCurrency: "USD",
      },
    },
  };
}
