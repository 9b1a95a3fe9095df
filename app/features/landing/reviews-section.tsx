import { RATING, REVIEW_COUNT } from "~/book";
import { QuotePath, type QuotePlace, ReviewsPath } from "./golden-path";
import { useLandingWords } from "./landing-words-context";
import type { Review } from "./reviews";
import { StarRating } from "./star-rating";

const reviewCount = REVIEW_COUNT.toLocaleString("en-US");

const PLACES: QuotePlace[] = ["first", "second", "third"];

/** Three reviews, set as pull quotes with the golden path winding between them. */
export function ReviewsSection() {
  const { reviews } = useLandingWords();
  return (
    <section id="reviews" aria-labelledby="reviews-title">
      <div className="frame relative py-4">
        <ReviewsPath />
        <h2 id="reviews-title" className="section-title">
          Read, lent, and read again
        </h2>
        <p className="mt-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
          <StarRating rating={RATING} className="text-gold-text" />
          <span>
            {RATING}/5 from {reviewCount} reviews
          </span>
        </p>
      </div>
      {reviews.map((review, index) => (
        <PullQuote key={review.name} review={review} place={PLACES[index] ?? "third"} />
      ))}
    </section>
  );
}

function PullQuote({ review, place }: { review: Review; place: QuotePlace }) {
  return (
    <div className={`frame pull-quote pull-quote-${place}`}>
      <QuotePath quote={place} />
      <figure>
        <blockquote>
          <p>{review.text}</p>
        </blockquote>
        <figcaption className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <span>
            <strong className="font-semibold">{review.name}</strong>
            <span className="text-ink-soft">, {review.role}</span>
          </span>
          <StarRating rating={review.rating} className="text-gold-text" />
        </figcaption>
      </figure>
    </div>
  );
}
