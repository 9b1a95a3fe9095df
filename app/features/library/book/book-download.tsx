import { BOOK_PATH } from "../library-paths";

/**
 * A link to the book for e-readers. Without the `download` attribute, with which a browser would save the landing
 * page as a book once the membership has ended.
 */
export function BookDownload({ className = "" }: { className?: string }) {
  return (
    <p className={className}>
      <a href={BOOK_PATH} className="text-link inline-flex min-h-11 items-center">
        Download as EPUB
      </a>{" "}
      <span className="text-ink-soft">for e-readers and reading apps</span>
    </p>
  );
}
