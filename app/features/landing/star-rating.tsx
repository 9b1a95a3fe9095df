import { useId } from "react";

/** A five-pointed star, 20 units wide, in relative coordinates after its first point. */
const STAR =
  "M10 1.8l2.29 5.44l5.89 0.5l-4.47 3.86l1.35 5.75l-5.05 -3.06l-5.05 3.06l1.35 -5.75l-4.47 -3.86l5.89 -0.5z";

/** Five stars filled up to `rating`, with a label for screen readers. */
export function StarRating({ rating, className = "" }: { rating: number; className?: string }) {
  const percent = (rating / 5) * 100;
  const gradient = useId();
  return (
    <svg
      role="img"
      aria-label={`Rated ${rating} out of 5 stars`}
      viewBox="0 0 116 20"
      className={`h-5 w-29 shrink-0 forced-colors:text-[CanvasText] ${className}`}
    >
      <defs>
        <linearGradient id={gradient}>
          <stop offset={`${percent}%`} stopColor="currentColor" />
          <stop offset={`${percent}%`} stopColor="currentColor" stopOpacity="0.25" />
        </linearGradient>
      </defs>
      <path
        fill={`url(#${gradient})`}
        d={[0, 24, 48, 72, 96].map((x) => STAR.replace("M10 ", `M${10 + x} `)).join("")}
      />
    </svg>
  );
}
