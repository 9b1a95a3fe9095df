import { Fragment } from "react";
import { RATING, REVIEW_COUNT } from "./book";
import { PathCrossing, PathLane } from "./golden-path";
import { type Review, reviews } from "./reviews";
import { StarRating } from "./star-rating";

const reviewCount = REVIEW_COUNT.toLocaleString("en-US");

/** Three readers, set as pull quotes that the golden path winds between. */
export function ReviewsSection() {
  const [first, ...others] = reviews;
  return (
    <section id="reviews" aria-labelledby="reviews-title">
      <div className="frame relative pt-4">
        <PathLane side="right" bends={2} />
        <h2 id="reviews-title" className="section-title">
          Read, lent, and read again
        </h2>
        <p className="mt-6 mb-16 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
          <StarRating rating={RATING} className="text-gold-text" />
          <span>
            {RATING}/5 from {reviewCount} reviews
          </span>
        </p>
        {first && <PullQuote review={first} side="left" />}
      </div>
      {others.map((review, index) => {
        const side = index % 2 === 0 ? "right" : "left";
        const lane = side === "left" ? "right" : "left";
        const last = index === others.length - 1;
        return (
          <Fragment key={review.name}>
            <PathCrossing to={lane} short />
            <div className={`frame relative pt-4 ${last ? "pb-24" : ""}`}>
              <PathLane side={lane} bends={1} />
              <PullQuote review={review} side={side} />
            </div>
          </Fragment>
        );
      })}
    </section>
  );
}

function PullQuote({ review, side }: { review: Review; side: "left" | "right" }) {
  return (
    <figure className={`pull-quote ${side === "right" ? "pull-quote-right" : ""}`}>
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
  );
}
