import type { MetaDescriptor } from "@remix-run/node";
import { AUTHOR_NAME, BOOK_DESCRIPTION, BOOK_PRICE, BOOK_TITLE } from "~/book";

/**
 * Returns the book's structured data: a schema.org Book with author and offer (specification, 9). It has no rating,
 * since those on the page are not from real reviews. `image` is the address of its picture. Remix escapes `<`, `>` and
 * `&` when it renders the script element.
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
      offers: {
        "@type": "Offer",
        url: `${origin}/`,
        price: BOOK_PRICE,
        priceCurrency: "USD",
      },
    },
  };
}
