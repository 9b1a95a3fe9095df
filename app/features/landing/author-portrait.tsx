import { AUTHOR_NAME } from "~/book";
import portraitArt from "./art/portrait.svg";
import { useLandingWords } from "./landing-words-context";
import { editionPhoto, Photo } from "./photo";
import { stockPhoto } from "./stock-photo";

const portraitPhoto = stockPhoto({
  id: "photo-1573496359142-b8d87734a5a2",
  alt: `${AUTHOR_NAME}, smiling at the camera`,
  width: 480,
  height: 600,
  widths: [320, 480, 640, 800, 960],
});

/** The author's photograph over her drawn monogram. */
export function AuthorPortrait({ className = "" }: { className?: string }) {
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
