import { AUTHOR_NAME } from "~/book";
import portraitArt from "./art/portrait.svg";
import { AuthorPath } from "./golden-path";
import { useLandingWords } from "./landing-words-context";
import { editionPhoto, Photo } from "./photo";
import { stockPhoto } from "./stock-photo";

/** The author's biography. */
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

const portraitPhoto = stockPhoto({
  id: "photo-1573496359142-b8d87734a5a2",
  alt: `${AUTHOR_NAME}, smiling at the camera`,
  width: 480,
  height: 600,
  widths: [320, 480, 640, 800, 960],
});

/** The author's photograph over her drawn monogram. */
function AuthorPortrait({ className = "" }: { className?: string }) {
  const own = useLandingWords().photos.author;
  return (
    <div
      className={`author-portrait relative aspect-4/5 overflow-hidden rounded-sm bg-gold-pale ${className}`}
    >
      <img
        src={portraitArt}
        width={480}
        height={600}
        alt=""
        className="absolute inset-0 size-full"
      />
      <Photo
        source={own ? editionPhoto(own) : portraitPhoto}
        sizes="(min-width: 80rem) 432px, (min-width: 48rem) 36vw, 80vw"
      />
    </div>
  );
}
