import { AUTHOR_NAME, BOOK_TITLE } from "~/book";
import type { LandingImage } from "~/features/library/landing-words";
import coverArt from "./art/cover.svg";
import { editionPhoto, Photo } from "./photo";
import { stockPhoto } from "./stock-photo";

const jacketPhoto = stockPhoto({
  id: "photo-1441974231531-c6227db76b6e",
  alt: "Early light falling through tall trees onto a forest path",
  width: 480,
  height: 720,
  widths: [320, 480, 640, 800, 960],
});

/**
 * The hero image: the book itself. Its jacket shows the photograph, or our drawing until that has loaded. The
 * lettering on top only repeats the page's title, so it is hidden from screen readers. `jacket` is the edition's own
 * photograph, if it has one.
 */
export function BookCover({ jacket }: { jacket: LandingImage | null }) {
  return (
    <div className="book-cover">
      <img src={coverArt} width={480} height={720} alt="" className="absolute inset-0 size-full" />
      <Photo
        source={jacket ? editionPhoto(jacket) : jacketPhoto}
        sizes="(min-width: 80rem) 384px, (min-width: 64rem) 30vw, (min-width: 40rem) 320px, 68vw"
        priority
      />
      <div className="book-jacket" aria-hidden="true">
        <p className="book-jacket-author">{AUTHOR_NAME}</p>
        <p className="book-jacket-title">
          {BOOK_TITLE.split(" ").map((word) => (
            <span key={word} className="block">
              {`${word} `}
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}
