import { Link } from "@remix-run/react";
import { NewsletterForm } from "~/features/newsletter/newsletter-form";
import { bookWords, useSite } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";
import { PrintedAddress } from "~/ui";

/** The newsletter: a description and the form. */
export function NewsletterSection({ heading, promise }: Site["newsletter"]) {
  const words = bookWords(useSite());
  return (
    <section
      aria-labelledby="newsletter-title"
      id="newsletter"
      className="scroll-mt-[-1.5rem] bg-paper-deep py-8 md:py-12 lg:py-24"
    >
      <div className="frame grid gap-6 lg:grid-cols-2 lg:items-end lg:gap-12">
        <div>
          <h2 id="newsletter-title" className="section-title" {...words}>
            {heading}
          </h2>
          {promise && (
            <p className="mt-4 max-w-[44ch] text-ink-soft" {...words}>
              {promise}
            </p>
          )}
          <Link to="/newsletter/archive" className="text-link">
            Past letters
          </Link>
          <PrintedAddress path="/#newsletter" />
        </div>
        <NewsletterForm />
      </div>
    </section>
  );
}
