/*
 * The golden path is one line in pieces, because the sections it runs through have no fixed height. Every piece is as
 * wide as the frame and never goes up, so a clip moving down draws it like a pen. Pieces meet vertically: browsers round
 * their boxes to whole pixels, which would show as a step in a slanted or horizontal line. The book, the page and the
 * portrait cover it where it passes behind them. golden-path.css positions and animates it.
 */

/** A value for each of the three layouts. */
type PerLayout<Value> = { phone: Value; tablet: Value; desktop: Value };

/** Where pieces meet, in percent of the frame's width. */
const PLACES = {
  margin: everywhere(3.1),
  /** where the road on the cover leaves the picture */
  cover: { phone: 31, tablet: 70, desktop: 71 },
  /** where the piece behind the open page ends */
  page: { phone: 96.9, tablet: 96.9, desktop: 91 },
  portrait: { phone: 20, tablet: 20, desktop: 18 },
  /** where the line in the portrait leaves the picture */
  belowPortrait: { phone: 3.1, tablet: 17, desktop: 14.8 },
  /** beside the quotes */
  right: { phone: 96.9, tablet: 90, desktop: 86 },
  left: { phone: 3.1, tablet: 10, desktop: 14 },
  sun: everywhere(50),
} satisfies Record<string, PerLayout<number>>;

type Place = keyof typeof PLACES;

function everywhere<Value>(value: Value): PerLayout<Value> {
  return { phone: value, tablet: value, desktop: value };
}

function perLayout<Value>(make: (layout: keyof PerLayout<unknown>) => Value): PerLayout<Value> {
  return { phone: make("phone"), tablet: make("tablet"), desktop: make("desktop") };
}

/** Returns a line from the top of the box to its bottom, vertical at both ends and horizontal in the middle. */
function swing(from: Place, to: Place): PerLayout<string> {
  return perLayout((layout) => {
    const [start, end] = [PLACES[from][layout], PLACES[to][layout]];
    const at = (share: number) => Math.round((start + share * (end - start)) * 10) / 10;
    return `M${start},0 C${start},50 ${at(0.25)},38 ${at(0.5)},50 S${end},50 ${end},100`;
  });
}

/** Returns a line down the box that sways a little. */
function sway(place: Place): PerLayout<string> {
  return perLayout((layout) => {
    const at = PLACES[place][layout];
    return `M${at},0 C${at},25 ${at + 1},25 ${at + 1},50 S${at},75 ${at},100`;
  });
}

/** The first stroke: from the title's last word, turning down on the right or going behind the book. */
export function PathStart() {
  const turn = "M0,79 C16,79 20,93 36,90 C52,87 52,42 72,38 C90,34.5 100,58 100,100";
  return (
    <Piece
      className="path-start"
      line={{
        ...everywhere(turn),
        desktop: "M0,79 C15,79 23,94 37,92 C54,89 58,40 82,38",
      }}
      dot="M0,79h.01"
    />
  );
}

/** The lines that run behind the content of sections. */
const LINES = {
  /** beside the hero's text and behind the book, which it leaves with the road on the cover */
  hero: {
    phone: "M96.9,0 C96.9,16 95.4,24 95.4,40 C95.4,60 78,58 60,68 C42,79 31,86 31,100",
    tablet: "M96.9,0 C96.9,16 96,24 90,30 C76,44 70,60 70,100",
    desktop: "M71,40 V100",
  },
  /** along the left margin; on a phone the text makes room for it */
  about: {
    phone:
      "M3.1,0 C3.1,10 7.5,12 7.5,24 C7.5,38 2.6,38 2.6,52 C2.6,66 7.5,66 7.5,80 C7.5,92 3.1,92 3.1,100",
    tablet: "M3.1,0 C3.1,18 4.6,24 4.6,38 C4.6,56 1.8,58 1.8,74 C1.8,88 3.1,88 3.1,100",
    desktop: "M3.1,0 C3.1,18 4.9,22 4.9,38 C4.9,58 1.3,58 1.3,76 C1.3,90 3.1,88 3.1,100",
  },
  /** from the left margin behind the open page, and out on its other side */
  preview: {
    ...everywhere("M3.1,0 C3.1,16 6,20 20,30 C60,44 96.9,50 96.9,66 C96.9,80 95.4,88 96.9,100"),
    desktop: "M3.1,0 C3.1,16 3,22 12,32 C24,45 50,53 62.5,66 C72,76 91,76 91,100",
  },
  /** behind the portrait, which it leaves with the line drawn in it, or on a phone at the side */
  author: {
    phone: "M20,0 C20,9 3.1,9 3.1,20 C3.1,50 4.4,70 3.1,100",
    tablet: "M20,0 C20,40 17,60 17,100",
    desktop: "M18,0 C18,40 14.8,60 14.8,100",
  },
} satisfies Record<string, PerLayout<string>>;

/** The line through a section. */
export function PathBehind({ line }: { line: keyof typeof LINES }) {
  return <Piece className="path-behind" line={LINES[line]} />;
}

/** The line down one side of a text. */
export function PathBeside({ place }: { place: Place }) {
  return <Piece className="path-behind" line={sway(place)} />;
}

type PathCrossingProps = { from: Place; to: Place; isShort?: boolean };

/** Crosses the free space between two sections or, if short, two quotes. */
export function PathCrossing({ from, to, isShort = false }: PathCrossingProps) {
  const leftwards = PLACES[from].desktop > PLACES[to].desktop;
  return (
    <div className={`path-crossing ${isShort ? "path-crossing-short" : ""}`}>
      <Piece className={leftwards ? "path-to-left" : "path-to-right"} line={swing(from, to)} />
    </div>
  );
}

type PieceProps = { className: string; line: PerLayout<string>; dot?: string };

function Piece({ className, line: { phone, tablet, desktop }, dot }: PieceProps) {
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      className={`path-piece ${className}`}
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
    >
      <path d={phone} className="md:hidden" />
      <path d={tablet} className="max-md:hidden lg:hidden" />
      <path d={desktop} className="max-lg:hidden" />
      {dot && <path d={dot} className="path-dot" />}
    </svg>
  );
}
