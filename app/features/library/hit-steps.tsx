import { Link, useLocation, useNavigate } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useHydrated } from "~/ui";
import { hitId } from "./library-paths";
import type { Reading } from "./load-reading.server";
import { useReadingKeys } from "./use-reading-keys";

type HitStepsProps = { hits: NonNullable<Reading["hits"]>; path: string };

/** Steps through the places in a text that a search has found. Without JavaScript it links to each. */
export function HitSteps({ hits: { query, count }, path }: HitStepsProps) {
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const at = useHitAt(hash) || count;
  const stepFrom = (from: number, by: 1 | -1) => ({
    search,
    hash: hitId(((from - 1 + by + count) % count) + 1),
  });
  // keys may be pressed faster than the page is drawn, so they count from the address
  const go = (by: 1 | -1) =>
    navigate(stepFrom(findHit(window.location.hash) || count, by), { replace: true });
  const keys = { n: () => go(1), p: () => go(-1) };
  useReadingKeys(count > 0 ? keys : {});
  return (
    <nav aria-label={`Matches of ${query}`} className="hit-steps">
      <p role="status">
        {count === 0 && `No matches for “${query}” in this text`}
        {count > 0 && (hydrated ? `${at} of ${count}` : `${count} for “${query}”`)}
      </p>
      {count > 0 && hydrated && (
        <>
          <Link to={stepFrom(at, -1)} replace className="text-link">
            Previous
          </Link>
          <Link to={stepFrom(at, 1)} replace className="text-link">
            Next
          </Link>
        </>
      )}
      {!hydrated &&
        Array.from({ length: count }, (_, index) => (
          <a key={hitId(index + 1)} href={`#${hitId(index + 1)}`} className="text-link">
            {index + 1}
          </a>
        ))}
      <Link to={path} preventScrollReset className="text-link">
        Clear
      </Link>
    </nav>
  );
}

function useHitAt(hash: string): number {
  const [at, setAt] = useState(1);
  useEffect(() => setAt(findHit(hash)), [hash]);
  return at;
}

/** Returns the number of the first place from the one that an address's hash names, counted from 1; 0 if there is none. */
function findHit(hash: string): number {
  const place = document.getElementById(hash.slice(1));
  const isFrom = (mark: Element) =>
    !place ||
    mark === place ||
    (place.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...document.querySelectorAll("#text mark[id^=hit-]")].findIndex(isFrom) + 1;
}
