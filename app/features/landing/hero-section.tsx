import { BuyButton } from "~/features/site/buy-button";
import { bookWords, useSite } from "~/features/site/page-site";
import type { Site } from "~/features/site/site";
import coverArt from "./art/cover.svg";
import { PathBehind, PathStart } from "./golden-path";
import { editionPhoto, Photo } from "./photo";
import { StarRating } from "./star-rating";
import { stockPhoto } from "./stock-photo";

/** What the hero shows beside the book's name. */
export type HeroContent = Pick<Site, "price" | "rating" | "readers" | "badge"> & {
  /** The photograph behind the book. */
  photo: Site["photos"]["hero"];
};

/** The first screen: the book, how to buy it, and the start of the golden path. */
export function HeroSection({ photo, price, rating, readers, badge }: HeroContent) {
  const site = useSite();
  const { title, subtitle, isSample, shops } = site;
  const canBuy = isSample || shops.length > 0;
  const background = photo ? editionPhoto(photo) : isSample ? forestPhoto : null;
  return (
    <section aria-labelledby="hero-title" className="hero">
      <div className="frame hero-grid">
        <h1
          id="hero-title"
          className={`hero-title ${isLong(title) ? "hero-title-long" : ""}`}
          {...bookWords(site)}
        >
          <HeroTitle title={title} />
        </h1>
        <div className="mt-8 [grid-area:text]">
          {subtitle && (
            <p
              {...bookWords(site)}
              className="max-w-[32ch] text-balance font-[350] font-display text-ink-soft text-xl md:text-2xl"
            >
              {subtitle}
            </p>
          )}
          <div className="mt-8 flex flex-col gap-4 sm:flex-row md:flex-col md:items-start lg:flex-row">
            <div>
              <BuyButton className="w-full">{buyLabel({ price, canBuy })}</BuyButton>
            </div>
            <a href="#preview" className="button button-secondary">
              Read Preview
            </a>
          </div>
          <div className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-2 text-sm text-ink-soft">
            {rating && (
              <p className="flex items-center gap-2">
                <StarRating rating={rating.value} />
                <strong className="font-semibold text-ink">{rating.value}/5</strong>
                {rating.source && (
                  <a href={rating.source.url} className="underline">
                    {rating.source.name}
                  </a>
                )}
              </p>
            )}
            {readers && <p>{readers}</p>}
          </div>
        </div>
        <div className={`hero-book ${background ? "hero-book-with-photo" : ""}`}>
          {background && (
            <div className="hero-photo">
              <Photo
                source={background}
                sizes="(min-width: 80rem) 346px, (min-width: 64rem) 27vw, (min-width: 48rem) 213px, 266px"
                priority
              />
            </div>
          )}
          <div className="hero-volume relative">
            <BookCover />
            {badge && (
              <p className="bestseller-seal -right-6 -rotate-8 absolute bottom-[12%] grid aspect-square w-26 place-items-center rounded-[50%] bg-gold font-display text-[calc(3.75*var(--spacing))] text-on-gold outline outline-on-gold -outline-offset-5">
                {badge}
              </p>
            )}
          </div>
        </div>
        <div className="hero-lane">
          <PathBehind line="hero" />
        </div>
      </div>
    </section>
  );
}

const forestPhoto = stockPhoto({
  id: "photo-1441974231531-c6227db76b6e",
  alt: "Early light falling through tall trees onto a forest path",
  height: 600,
});

/** Whether a title does not fit the hero and the jacket in large type. */
const isLong = (title: string) =>
  title.length > 32 || title.split(/[\s-]/).some((word) => word.length > 12);

function buyLabel({ price, canBuy }: { price: Site["price"]; canBuy: boolean }): string {
  if (!canBuy) return "Read it here";
  if (!price) return "Get Your Copy";
  const { amount, currency } = price;
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return `Get Your Copy - ${format.format(Number(amount))}`;
}

/** The title, with the path's start after its last word. */
function HeroTitle({ title }: { title: string }) {
  const words = title.split(" ");
  const last = words.pop();
  return (
    <>
      {words.length > 0 && <span className="block">{words.join(" ")}</span>}{" "}
      <span className="flex">
        {last}
        <PathStart />
      </span>
    </>
  );
}

/**
 * The book's cover: the author's, or else a jacket with the title. The lettering is hidden from screen readers, since
 * it repeats the page's title.
 */
function BookCover() {
  const { title, author, cover, isSample } = useSite();
  if (cover) {
    const { src, width, height, alt } = editionPhoto(cover);
    return <img src={src} width={width} height={height} alt={alt} className="own-cover" />;
  }
  return (
    <div className="book-cover">
      {isSample && (
        <img
          src={coverArt}
          width={480}
          height={720}
          alt=""
          className="absolute inset-0 size-full"
        />
      )}
      <div className="book-jacket" aria-hidden="true">
        <p className="book-jacket-author">{author}</p>
        <p className={`book-jacket-title ${isLong(title) ? "book-jacket-title-long" : ""}`}>
          {(isLong(title) ? [title] : title.split(" ")).map((word) => (
            <span key={word} className="block">
              {`${word} `}
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}
