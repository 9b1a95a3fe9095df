import { bookWords, useSite } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";

/** Questions and answers, each opened by itself. */
export function FaqSection({ faq }: Pick<Site, "faq">) {
  return (
    <section id="faq" aria-labelledby="faq-title" className="frame py-12 md:py-24">
      <h2 id="faq-title" className="section-title">
        Questions
      </h2>
      <div className="mt-8 max-w-[68ch]" {...bookWords(useSite())}>
        {faq.map(({ question, answer }) => (
          <details key={question} className="border-line border-t py-4">
            <summary className="cursor-pointer font-semibold">{question}</summary>
            <p className="mt-3 text-ink-soft">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
