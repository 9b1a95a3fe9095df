import { Fragment } from "react";
import { bookWords } from "~/features/site/page-site";
import type { Review } from "~/features/site/site";
import { PathBeside, PathCrossing } from "./golden-path";
import { useLandingSite } from "./landing-site-context";
import { StarRating } from "./star-rating";

/** The sides of the quotes on which the path passes, in turn. */
const SIDES = ["right", "left"] as const;

/** The reviews, set as pull quotes with the golden path winding between them. */
export function ReviewsSection() {
  const { reviews, reviewsHeading, rating, reviewsCount } = useLandingSite();
  return (
    <section id="reviews" aria-labelledby="reviews-title">
      <div className="frame relative pt-4 pb-8">
        <PathBeside place="right" />
        <h2 id="reviews-title" className="section-title">
          {reviewsHeading}
        </h2>
        {rating && (
          <p className="mt-4 text-ink-soft">
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
          </p>
        )}
      </div>
      {reviews.map((review, index) => {
        const [side, other] = index % 2 === 0 ? SIDES : SIDES.toReversed();
        return (
          <Fragment key={review.name}>
            {index > 0 && <PathCrossing from={other} to={side} isShort />}
            <PullQuote review={review} side={side} />
          </Fragment>
        );
      })}
    </section>
  );
}

function PullQuote({ review, side }: { review: Review; side: (typeof SIDES)[number] }) {
  return (
    <div className={`frame pull-quote pull-quote-${side}`}>
      <PathBeside place={side} />
      <figure>
        <blockquote {...bookWords(useLandingSite())}>
          <p>{review.text}</p>
        </blockquote>
        <figcaption className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm md:mt-6">
          <span>
            <strong className="font-semibold">{review.name}</strong>
            {review.role && <span className="text-ink-soft">, {review.role}</span>}
          </span>{" "}
          {review.rating && <StarRating rating={review.rating} isShort />}
        </figcaption>
      </figure>
    </div>
  );
}
