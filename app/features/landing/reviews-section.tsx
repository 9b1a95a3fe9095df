import { bookWords } from "~/features/site/page-site";
import type { Review } from "~/features/site/site";
import { PathBehind } from "./golden-path";
import { useLandingSite } from "./landing-site-context";
import { StarRating } from "./star-rating";

const PLACES = ["first", "second", "third"] as const;

/** The reviews, set as pull quotes with the golden path winding between them. */
export function ReviewsSection() {
  const { reviews, reviewsHeading, rating, reviewsCount } = useLandingSite();
  return (
    <section id="reviews" aria-labelledby="reviews-title">
      <div className="frame relative py-4">
        <PathBehind line="reviews" />
        <h2 id="reviews-title" className="section-title">
          {reviewsHeading}
        </h2>
        {rating && (
          <p className="mt-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
            <StarRating rating={rating.value} className="text-gold-text" />
            <span>
              {rating.value}/5
              {reviewsCount && ` from ${reviewsCount.toLocaleString("en-US")} reviews`}
              {rating.source && (
                <>
                  {" on "}
                  <a href={rating.source.url} className="underline">
                    {rating.source.name}
                  </a>
                </>
              )}
            </span>
          </p>
        )}
      </div>
      {reviews.map((review, index) => (
        <PullQuote
          key={review.name}
          review={review}
          place={PLACES[index % PLACES.length] ?? "third"}
        />
      ))}
    </section>
  );
}

function PullQuote({ review, place }: { review: Review; place: (typeof PLACES)[number] }) {
  return (
    <div className={`frame pull-quote pull-quote-${place}`}>
      <PathBehind line={`${place}Quote`} />
      <figure>
        <blockquote {...bookWords(useLandingSite())}>
          <p>{review.text}</p>
        </blockquote>
        <figcaption className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <span>
            <strong className="font-semibold">{review.name}</strong>
            {review.role && <span className="text-ink-soft">, {review.role}</span>}
          </span>
          {review.rating && <StarRating rating={review.rating} className="text-gold-text" />}
        </figcaption>
      </figure>
    </div>
  );
}
