import { Link } from "@remix-run/react";
import { HIGHLIGHTS_PATH, highlightPath, newHighlightPath, passageId } from "../library-paths";
import type { HighlightView, TextHighlights } from "./highlight";
import { Passage } from "./highlight-form";
import { PassageTools } from "./passage-tools";

type Props = {
  slug: string;
  /** Where a passage is offered that no pointer has selected. */
  block: number;
  highlights: TextHighlights;
};

/** Below a text: the notes on its highlights, and those whose words are lost; and the tools that highlight in it. */
export function TextHighlightsSection({ slug, block, highlights }: Props) {
  const { renderKey, noted, lost } = highlights;
  return (
    <section aria-labelledby="highlights-heading" id="highlights" className="text-highlights">
      <h2
        id="highlights-heading"
        className={`text-xl ${noted.length + lost.length === 0 ? "print:hidden" : ""}`}
      >
        Highlights
      </h2>
      {noted.length > 0 && (
        <ol>
          {noted.map(({ id, quote, note }) => (
            <li key={id}>
              <a href={`#${passageId(id)}`} className="highlight-words" dir="auto">
                {shortened(quote)}
              </a>
              <p className="whitespace-pre-line" dir="auto">
                {note}
              </p>
            </li>
          ))}
        </ol>
      )}
      {lost.length > 0 && <Lost lost={lost} />}
      <p className="flex flex-wrap gap-x-6 print:hidden">
        <Link to={newHighlightPath(slug, block)} className="text-link">
          Highlight a passage
        </Link>
        <Link to={HIGHLIGHTS_PATH} className="text-link">
          All your highlights
        </Link>
      </p>
      <PassageTools slug={slug} renderKey={renderKey} noted={noted} />
    </section>
  );
}

function Lost({ lost }: { lost: HighlightView[] }) {
  return (
    <>
      <h3 className="mt-6">No longer in this text</h3>
      <ul>
        {lost.map(({ id, quote, color, note }) => (
          <li key={id}>
            <Passage quote={quote} color={color} note={note} />
            <Link to={highlightPath(id)} className="text-link">
              Change or delete
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The words that begin a long passage. */
const shortened = (quote: string) =>
  quote.length <= 80 ? quote : `${quote.slice(0, 80).replace(/\s+\S*$/, "")} …`;
