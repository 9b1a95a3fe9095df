import {
  AUTHOR_NAME,
  BOOK_DESCRIPTION,
  BOOK_PRICE,
  BOOK_TITLE,
  RATING,
  READERS_CLAIM,
} from "~/book";
import type { LandingImage } from "~/features/library/landing-words";
import { Button, NoticeForm } from "~/ui";
import coverArt from "./art/cover.svg";
import { HeroPath, PathStart } from "./golden-path";
import { editionPhoto, Photo } from "./photo";
import { StarRating } from "./star-rating";
import { stockPhoto } from "./stock-photo";

/** The first screen: the book, how to buy it, and the start of the golden path. */
export function HeroSection({ jacket }: { jacket: LandingImage | null }) {
  return (
    <section aria-labelledby="hero-title" className="hero">
      <div className="frame hero-grid">
        <h1 id="hero-title" className="hero-title">
          <span className="block">The Golden</span>{" "}
          <span className="flex">
            Path
            <PathStart />
          </span>
        </h1>
        <div className="mt-8 [grid-area:text]">
          <p className="max-w-[32ch] text-balance font-[350] font-display text-2xl text-ink-soft">
            {BOOK_DESCRIPTION}
          </p>
          <div className="mt-8 flex flex-col gap-4 sm:flex-row md:flex-col md:items-start lg:flex-row">
            <NoticeForm notice="purchase">
              <Button type="submit" className="w-full">
                Get Your Copy - ${BOOK_PRICE}
              </Button>
            </NoticeForm>
            <a href="#preview" className="button button-secondary">
              Read Preview
            </a>
          </div>
          <div className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-2 text-sm text-ink-soft">
            <p className="flex items-center gap-2">
              <StarRating rating={RATING} className="text-gold-text" />
              <strong className="font-semibold text-ink">{RATING}/5</strong>
            </p>
            <p>{READERS_CLAIM}</p>
          </div>
        </div>
        <div className="hero-book">
          <BookCover jacket={jacket} />
          <p className="bestseller-seal -right-6 -rotate-8 absolute bottom-[12%] grid aspect-square w-26 place-items-center rounded-[50%] bg-gold font-display text-[calc(3.75*var(--spacing))] outline outline-ink -outline-offset-5">
            Bestseller
          </p>
        </div>
        <div className="hero-lane">
          <HeroPath />
        </div>
      </div>
    </section>
  );
}

const jacketPhoto = stockPhoto({
  id: "photo-1441974231531-c6227db76b6e",
  alt: "Early light falling through tall trees onto a forest path",
  width: 480,
  height: 720,
  widths: [320, 480, 640, 800, 960],
});

/**
 * The hero image: the book itself. Its jacket shows the photograph, or a drawing until that has loaded. The lettering
 * is hidden from screen readers, since it repeats the page's title. `jacket` is the edition's own photograph, if any.
 */
function BookCover({ jacket }: { jacket: LandingImage | null }) {
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
