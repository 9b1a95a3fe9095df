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
  const before = { search, hash: hitId(at > 1 ? at - 1 : count) };
  const after = { search, hash: hitId(at < count ? at + 1 : 1) };
  const keys = {
    n: () => navigate(after, { replace: true }),
    p: () => navigate(before, { replace: true }),
  };
  useReadingKeys(count > 0 ? keys : {});
  return (
    <nav aria-label={`Matches of ${query}`} className="hit-steps">
      <p role="status">
        {count === 0 && `No matches for “${query}” in this text`}
        {count > 0 && (hydrated ? `${at} of ${count}` : `${count} for “${query}”`)}
      </p>
      {count > 0 && hydrated && (
        <>
          <Link to={before} replace className="text-link">
            Previous
          </Link>
          <Link to={after} replace className="text-link">
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

/** Returns the number of the first place from the one that the address names, counted from 1; 0 if there is none. */
function useHitAt(hash: string): number {
  const [at, setAt] = useState(1);
  useEffect(() => {
    const place = document.getElementById(hash.slice(1));
    const isFrom = (mark: Element) =>
      !place ||
      mark === place ||
      (place.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    setAt([...document.querySelectorAll("#text mark[id^=hit-]")].findIndex(isFrom) + 1);
  }, [hash]);
  return at;
}
