import { Link } from "@remix-run/react";
import { NewsletterForm } from "~/features/newsletter/newsletter-form";
import { PrintedAddress } from "~/ui";

/** The newsletter: a description and the form. */
export function NewsletterSection() {
  return (
    <section
      aria-labelledby="newsletter-title"
      id="newsletter"
      className="scroll-mt-[-1.5rem] bg-paper-deep py-24"
    >
      <div className="frame grid gap-10 lg:grid-cols-2 lg:items-end lg:gap-12">
        <div>
          <h2 id="newsletter-title" className="section-title">
            Stay Connected
          </h2>
          <p className="mt-4 max-w-[44ch] text-ink-soft">
            One letter on the first Sunday of the month: a practice, a story, and a question worth
            taking for a walk.
          </p>
          <Link to="/newsletter/archive" className="text-link">
            Letters so far
          </Link>
          <PrintedAddress path="/#newsletter" />
        </div>
        <NewsletterForm />
      </div>
    </section>
  );
}
