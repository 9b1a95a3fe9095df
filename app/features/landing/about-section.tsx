import { bookWords } from "~/features/site/page-site";
import { PathBehind } from "./golden-path";
import { useLandingSite } from "./landing-site-context";

/** What the book offers, on three cards. */
export function AboutSection() {
  const site = useLandingSite();
  const { about, features } = site;
  return (
    <section
      id="about"
      aria-labelledby="about-title"
      className="frame relative py-4 max-md:pl-[calc(var(--gutter)+5*var(--spacing))]"
    >
      <PathBehind line="about" />
      <div className="grid gap-4 lg:grid-cols-2 lg:items-end lg:gap-12">
        <h2 id="about-title" className="section-title" {...(about && bookWords(site))}>
          {about?.heading ?? "About the book"}
        </h2>
        {about && (
          <p className="max-w-[52ch] text-ink-soft md:text-lg" {...bookWords(site)}>
            {about.text}
          </p>
        )}
      </div>
      <ul
        {...bookWords(site)}
        className="mt-8 grid gap-6 md:mt-16 md:grid-cols-3 md:gap-8 lg:gap-12"
      >
        {features.map(({ title, text }, index) => (
          <li
            key={title}
            className="border-line border-t-2 pt-6 max-md:grid max-md:grid-cols-[auto_1fr] max-md:items-center max-md:gap-x-4 md:pt-8"
          >
            <FeatureMark drawing={MARKS[index % MARKS.length]} />
            <h3 className="text-xl md:mt-6">{title}</h3>
            <p className="col-span-2 mt-2 text-ink-soft max-md:text-sm md:mt-3">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The drawings on the cards: a compass, a book, and steps to the sun. */
const MARKS = [
  "M5 24a19 19 0 1 0 38 0a19 19 0 1 0-38 0zM31.5 16.5l-4.6 10.4-10.4 4.6 4.6-10.4zM24 5v3M24 40v3M5 24h3M40 24h3",
  "M24 13c-4-4-10-5.500-18-5.500v29c8 0 14 1.500 18 5.500 4-4 10-5.500 18-5.500v-29c-8 0-14 1.500-18 5.500zm0 0v29M12 16c3 .3 5.300.9 7 1.800M12 23c3 .3 5.300.9 7 1.800M36 16c-3 .3-5.300.9-7 1.800M36 23c-3 .3-5.300.9-7 1.800",
  "M4 43h10v-9h10v-9h10v-9h10M33.500 8.500a5 5 0 0 1 10 0M29.500 8.500h-2M47 8.500h-1.500M38.500 1v-.5",
];

/** A small drawing in one golden line. Decorative: the heading beside it says the same. */
function FeatureMark({ drawing }: { drawing: string | undefined }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 48 48"
      className="size-9 fill-none md:size-12 stroke-gold-text stroke-[1.5]"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={drawing} />
    </svg>
  );
}
