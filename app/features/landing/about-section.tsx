import { features } from "./copy";
import { FeatureMark } from "./feature-mark";
import { AboutPath } from "./golden-path";
import { useLandingWords } from "./landing-words-context";

/** What the book offers: three cards. */
export function AboutSection() {
  const words = useLandingWords();
  return (
    <section
      id="about"
      aria-labelledby="about-title"
      className="frame relative py-4 max-md:pl-[calc(var(--gutter)+5*var(--spacing))]"
    >
      <AboutPath />
      <div className="grid gap-6 lg:grid-cols-2 lg:items-end lg:gap-12">
        <h2 id="about-title" className="section-title">
          You already know the direction
        </h2>
        <p className="max-w-[52ch] text-ink-soft text-lg">{words.about}</p>
      </div>
      <ul className="mt-16 grid gap-12 md:grid-cols-3 md:gap-8 lg:gap-12">
        {features.map(({ title, mark }, index) => (
          <li key={title} className="border-line border-t-2 pt-8">
            <FeatureMark name={mark} />
            <h3 className="mt-6 text-xl">{title}</h3>
            <p className="mt-3 text-ink-soft">{words.features[index]}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
