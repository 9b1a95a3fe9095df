import { AUTHOR_NAME } from "~/book";
import { AuthorPortrait } from "./author-portrait";
import { AuthorPath } from "./golden-path";
import { useLandingWords } from "./landing-words-context";

/** Who wrote the book. */
export function AuthorSection() {
  const { lead, paragraphs } = useLandingWords().biography;
  return (
    <section id="author" aria-labelledby="author-title" className="frame relative py-4">
      <AuthorPath />
      <div className="grid items-center gap-12 md:grid-cols-12 md:gap-8">
        <AuthorPortrait className="w-full max-w-80 md:col-span-5 md:max-w-none lg:col-span-4" />
        <div className="md:col-span-7 lg:col-start-6">
          <h2 id="author-title" className="section-title">
            {AUTHOR_NAME}
          </h2>
          <p className="mt-6 font-[350] font-display text-2xl">{lead}</p>
          {paragraphs.map((paragraph) => (
            <p key={paragraph.slice(0, 24)} className="mt-6 max-w-[62ch] text-ink-soft">
              {paragraph}
            </p>
          ))}
        </div>
      </div>
    </section>
  );
}
