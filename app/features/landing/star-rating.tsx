import { useId } from "react";

/** A five-pointed star, 20 units wide, in relative coordinates after its first point. */
const STAR =
  "M10 1.8l2.29 5.44l5.89 0.5l-4.47 3.86l1.35 5.75l-5.05 -3.06l-5.05 3.06l1.35 -5.75l-4.47 -3.86l5.89 -0.5z";

/** Distance from one star to the next, in units. */
const STEP = 24;

/** Five outlined stars filled up to `rating`, or one star and the number; either with a label for screen readers. */
export function StarRating({ rating, isShort = false }: { rating: number; isShort?: boolean }) {
  const gradient = useId();
  const width = isShort ? 20 : 4 * STEP + 20;
  const filled = isShort ? width : Math.floor(rating) * STEP + (rating % 1) * 20;
  return (
    <span className="flex items-center gap-1.5">
      <svg
        role="img"
        aria-label={`Rated ${rating} out of 5 stars`}
        viewBox={`0 0 ${width} 20`}
        className={`h-5 shrink-0 text-gold-text forced-colors:text-[CanvasText] ${isShort ? "w-5" : "w-29"}`}
      >
        <defs>
          <linearGradient id={gradient} gradientUnits="userSpaceOnUse" x2={width}>
            <stop offset={filled / width} stopColor="currentColor" />
            <stop offset={filled / width} stopColor="currentColor" stopOpacity="0" />
          </linearGradient>
        </defs>
        <path
          fill={`url(#${gradient})`}
          stroke="currentColor"
          strokeLinejoin="round"
          d={(isShort ? [0] : [0, 1, 2, 3, 4])
            .map((index) => STAR.replace("M10 ", `M${10 + index * STEP} `))
            .join("")}
        />
      </svg>
      {isShort && <span aria-hidden="true">{rating}/5</span>}
    </span>
  );
}
