import { Link } from "@remix-run/react";
import { useRootData } from "~/features/accounts/root-data";
import { CANCELLATION_PATH } from "~/features/billing/billing-paths";
import { pagePath, useSite } from "~/features/site/page-site";
import { holderOf } from "~/features/site/site";
import { ButtonLink, PrintedAddress } from "~/ui";

const QUICK_LINKS = [
  { label: "About", id: "about" },
  { label: "Preview", id: "preview" },
  { label: "Author", id: "author" },
  { label: "Reviews", id: "reviews" },
  { label: "Premium", id: "purchase" },
  { label: "Newsletter", id: "newsletter" },
] as const;

/** Support labels (specification, 2), and the slug of the page or id of the section that each leads to. */
const SUPPORT = [
  { label: "FAQ", slug: "faq" },
  { label: "Shipping Info", slug: "shipping" },
  { label: "Returns", slug: "returns" },
  { label: "Contact Us", slug: "contact" },
] as const;

/** The footer: quick links, support, the author's own pages, and the contact details. */
export function Footer() {
  const site = useSite();
  const { cancellationLabel } = useRootData();
  const { isSample, title, author, contact, sections, pages, social } = site;
  const publisher = holderOf(site);
  const { street, city, email, phone } = contact;
  const pathOf = (slug: string) => {
    if (pages.some((page) => page.slug === slug)) return pagePath(slug);
    return sections.includes(slug) ? `/#${slug}` : null;
  };
  const lines = [
    { label: contact.publisher },
    { label: street },
    { label: city },
    { label: email, to: `mailto:${email}` },
    { label: phone, to: `tel:${phone?.replace(/[^+\d]/g, "")}` },
  ].flatMap(({ label, to }) => (label ? [{ label, to }] : []));
  const support = SUPPORT.map(({ label, slug }) => ({ label, to: pathOf(slug) })).filter(
    ({ to }) => to || isSample,
  );
  const otherPages = pages.filter(({ slug }) => !SUPPORT.some((label) => label.slug === slug));
  return (
    <footer className="border-line border-t bg-paper-deep">
      <div className="frame grid gap-x-4 gap-y-8 py-10 min-[20rem]:grid-cols-[1fr_2fr] lg:py-16 lg:grid-cols-12 lg:gap-8">
        <div className="col-span-full lg:col-span-4">
          <p className="wrap-anywhere font-display text-2xl">{title}</p>
          {author && <p className="mt-2 text-ink-soft text-sm">by {author}</p>}
          <PrintedAddress />
        </div>
        <nav aria-labelledby="quick-links-title" className="col-span-full lg:col-span-3">
          <h2 id="quick-links-title" className="footer-title">
            Quick links
          </h2>
          <ul className="mt-2 grid gap-x-8 min-[20rem]:grid-cols-2">
            {QUICK_LINKS.filter(({ id }) => sections.includes(id)).map(({ label, id }) => (
              <Entry key={id} label={label} to={`/#${id}`} />
            ))}
          </ul>
        </nav>
        {support.length > 0 && (
          <div className="lg:col-span-2">
            <h2 className="footer-title">Support</h2>
            <ul className="mt-2">
              {support.map((entry) => (
                <Entry key={entry.label} {...entry} />
              ))}
            </ul>
          </div>
        )}
        {lines.length > 0 && (
          <div className="lg:col-span-3">
            <h2 className="footer-title">Contact</h2>
            <address className="wrap-anywhere mt-2 not-italic">
              {lines.map((line) => (
                <Entry key={line.label} {...line} as="div" />
              ))}
            </address>
          </div>
        )}
      </div>
      <div className="frame pb-8">
        {cancellationLabel && (
          <p className="pb-6">
            <ButtonLink to={CANCELLATION_PATH} variant="secondary">
              {cancellationLabel}
            </ButtonLink>
          </p>
        )}
        {otherPages.length + social.length > 0 && (
          <ul className="flex flex-wrap gap-x-6 pb-4">
            {otherPages.map((page) => (
              <Entry key={page.slug} label={page.title} to={pagePath(page.slug)} />
            ))}
            {social.map(({ name, url }) => (
              <Entry key={url} label={name} to={url} rel="me" />
            ))}
          </ul>
        )}
        <div className="flex flex-wrap justify-between gap-x-8 gap-y-1 border-line border-t pt-6 text-ink-soft text-sm">
          <p>© {publisher}. All rights reserved.</p>
          <p>Set in Fraunces and Inter.</p>
        </div>
      </div>
    </footer>
  );
}

type EntryProps = {
  label: string;
  to?: string | null | undefined;
  rel?: string;
  as?: "li" | "div";
};

/** A line of the footer; a link if it leads anywhere, on this site or elsewhere. */
function Entry({ label, to, rel, as: Line = "li" }: EntryProps) {
  return (
    <Line className={to ? undefined : "footer-line"}>
      {to ? (
        <Link to={to} rel={rel} className="footer-link">
          {label}
        </Link>
      ) : (
        label
      )}
    </Line>
  );
}
