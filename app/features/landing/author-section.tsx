import { bookWords } from "~/features/site/page-site";
import { SAMPLE_SITE } from "~/features/site/sample-site";
import portraitArt from "./art/portrait.svg";
import { PathBehind } from "./golden-path";
import { useLandingSite } from "./landing-site-context";
import { editionPhoto, Photo } from "./photo";
import { stockPhoto } from "./stock-photo";

/** The author's biography. */
export function AuthorSection() {
  const site = useLandingSite();
  const { author, biography, isSample, photos } = site;
  const { lead, paragraphs } = biography ?? { lead: null, paragraphs: [] };
  const hasPortrait = isSample || photos.author !== null;
  return (
    <section id="author" aria-labelledby="author-title" className="frame relative py-4">
      <PathBehind line="author" />
      <div className="items-center gap-8 max-md:flow-root md:grid md:grid-cols-12 md:gap-8">
        {hasPortrait && (
          <AuthorPortrait className="max-md:float-left max-md:mr-5 max-md:w-28 md:col-span-5 lg:col-span-4" />
        )}
        <div
          className={hasPortrait ? "md:col-span-7 lg:col-start-6" : "md:col-span-9"}
          {...bookWords(site)}
        >
          <h2 id="author-title" className="section-title">
            {author ?? "About the author"}
          </h2>
          {lead && (
            <p className="mt-4 font-[350] font-display text-xl md:mt-6 md:text-2xl">{lead}</p>
          )}
          {paragraphs.map((paragraph) => (
            <p key={paragraph.slice(0, 24)} className="mt-4 max-w-[62ch] text-ink-soft md:mt-6">
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
  alt: `${SAMPLE_SITE.author}, smiling at the camera`,
  height: 600,
});

/** The author's photograph; the sample's is over her drawn monogram. */
function AuthorPortrait({ className = "" }: { className?: string }) {
  const { isSample, photos } = useLandingSite();
  const own = photos.author;
  return (
    <div
      className={`author-portrait relative aspect-4/5 overflow-hidden rounded-sm bg-gold-pale ${className}`}
    >
      {isSample && (
        <img
          src={portraitArt}
          width={480}
          height={600}
          alt=""
          className="absolute inset-0 size-full"
        />
      )}
      <Photo
        source={own ? editionPhoto(own) : portraitPhoto}
        sizes="(min-width: 80rem) 432px, (min-width: 48rem) 36vw, 112px"
      />
    </div>
  );
}
