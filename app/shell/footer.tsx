import { Link } from "@remix-run/react";
import { AUTHOR_NAME, BOOK_TITLE } from "~/book";
import { contactDetails, supportLabels } from "~/features/landing/footer-copy";
import type { LandingWords } from "~/features/library/landing-words";
import { PrintedAddress } from "~/ui";

const quickLinks = [
  { label: "About", to: "/#about" },
  { label: "Preview", to: "/#preview" },
  { label: "Author", to: "/#author" },
  { label: "Reviews", to: "/#reviews" },
  { label: "Premium", to: "/#purchase" },
  { label: "Newsletter", to: "/#newsletter" },
] as const;

/**
 * The footer: quick links, the support labels that are not links yet, and the contact address, which is the edition's
 * own where it has one.
 */
export function Footer({ contact }: { contact: LandingWords["contact"] | null }) {
  const { publisher, street, city, email, phone } = contact ?? contactDetails;
  return (
    <footer className="border-line border-t bg-paper-deep">
      <div className="frame grid gap-12 py-16 sm:grid-cols-2 lg:grid-cols-12 lg:gap-8">
        <div className="lg:col-span-4">
          <p className="font-display text-2xl">{BOOK_TITLE}</p>
          <p className="mt-2 text-ink-soft text-sm">by {AUTHOR_NAME}</p>
          <PrintedAddress />
        </div>
        <nav aria-labelledby="quick-links-title" className="lg:col-span-3">
          <h2 id="quick-links-title" className="footer-title">
            Quick Links
          </h2>
          <ul className="mt-2 grid gap-x-8 min-[20rem]:grid-cols-2">
            {quickLinks.map(({ label, to }) => (
              <li key={label}>
                <Link to={to} className="footer-link">
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="lg:col-span-2">
          <h2 className="footer-title">Support</h2>
          <ul className="mt-2">
            {supportLabels.map((label) => (
              <li key={label} className="footer-line">
                {label}
              </li>
            ))}
          </ul>
        </div>
        <div className="lg:col-span-3">
          <h2 className="footer-title">Contact</h2>
          <address className="wrap-anywhere mt-2 not-italic">
            {[publisher, street, city, email, phone].map((line) => (
              <div key={line} className="footer-line">
                {line}
              </div>
            ))}
          </address>
        </div>
      </div>
      <div className="frame pb-10">
        <div className="flex flex-wrap justify-between gap-x-8 gap-y-1 border-line border-t pt-6 text-ink-soft text-sm">
          <p>© {publisher}. All rights reserved.</p>
          <p>Set in Fraunces and Inter.</p>
        </div>
      </div>
    </footer>
  );
}
