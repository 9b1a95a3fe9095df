import { Link } from "@remix-run/react";
import { legalPages, pagePath, useSite } from "./page-site";

/** Links to the author's terms and privacy page, where there are such pages. */
export function LegalLinks() {
  const pages = legalPages(useSite().pages);
  if (pages.length === 0) return null;
  return (
    <p className="text-sm">
      {pages.map(({ slug, title }, index) => (
        <span key={slug}>
          {index > 0 && " · "}
          <Link to={pagePath(slug)} className="underline underline-offset-4">
            {title}
          </Link>
        </span>
      ))}
    </p>
  );
}
