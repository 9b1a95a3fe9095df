import { bookWords, initialClass } from "~/features/site/page-site";
import { PathBehind } from "./golden-path";
import { useLandingSite } from "./landing-site-context";

/** The content of the section. */
export type PreviewContent = {
  /** The opening of the first chapter; null while there is none to show. */
  opening: { label: string | null; title: string; paragraphs: string[] } | null;
  /** A chapter that anyone may read in full; null if there is none. */
  wholeChapter: { name: string; path: string } | null;
};

/** The opening of chapter 1, set as a page of the book, and summaries of chapters 2 to 4. */
export function PreviewSection({ opening, wholeChapter }: PreviewContent) {
  const site = useLandingSite();
  const { title: bookTitle, previewChapters } = site;
  return (
    <section
      id="preview"
      aria-labelledby="preview-title"
      className="frame relative pt-12 pb-4 lg:pt-32"
    >
      <PathBehind line="preview" />
      <h2 id="preview-title" className="section-title">
        Read the first pages
      </h2>
      <div className="mt-8 grid gap-10 md:mt-12 md:gap-16 lg:grid-cols-12 lg:gap-8 xl:gap-12">
        {opening && (
          <article
            aria-labelledby="chapter-one-title"
            className="book-page border border-line bg-paper px-[clamp(5*var(--spacing),6vw,4.5rem)] py-[clamp(1.5rem,6vw,4rem)] lg:col-span-8"
          >
            <p className="running-head" aria-hidden="true">
              {bookTitle}
            </p>
            {opening.label && (
              <p className="mt-8 text-center font-display text-gold-text text-lg md:mt-12">
                {opening.label}
              </p>
            )}
            <h3 id="chapter-one-title" className="mt-2 text-center text-2xl" {...bookWords(site)}>
              {opening.title}
            </h3>
            <div className={`book-text ${initialClass(site)}`} {...bookWords(site)}>
              {opening.paragraphs.map((paragraph) => (
                <p key={paragraph.slice(0, 24)}>{paragraph}</p>
              ))}
            </div>
            {wholeChapter && (
              <a href={wholeChapter.path} className="text-link mx-auto mt-4 md:mt-8">
                Read all of {wholeChapter.name}
              </a>
            )}
            <p
              className="mt-4 text-center font-display text-ink-soft text-sm md:mt-10"
              aria-hidden="true"
            >
              1
            </p>
          </article>
        )}
        {!opening && previewChapters.length === 0 && (
          <p className="text-ink-soft lg:col-span-8">Chapter 1 will start here once it’s out.</p>
        )}
        {previewChapters.length > 0 && (
          <div className="lg:col-span-4">
            <h3 className="text-2xl">And then</h3>
            <ol className="mt-4 grid gap-6 md:mt-8 md:gap-8 md:grid-cols-3 lg:grid-cols-1 lg:gap-10">
              {previewChapters.map(({ title, text }, index) => (
                <li key={title}>
                  <p className="font-display text-gold-text text-lg">Chapter {index + 2}</p>
                  <h4 className="mt-1 font-display text-xl" {...bookWords(site)}>
                    {title}
                  </h4>
                  <p className="mt-2 text-ink-soft max-md:text-sm" {...bookWords(site)}>
                    {text}
                  </p>
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </section>
  );
}
