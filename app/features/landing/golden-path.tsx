/*
 * The golden path is one line in pieces, because the sections between them have no fixed height:
 * lanes stretch along a section's margin, crossings of fixed height swing between sections. Every
 * piece starts and ends upright on the middle of a gutter, so that neighbours join without a kink.
 * How the pieces are drawn and placed is in styles/golden-path.css.
 */

/** The first stroke: it leaves the title's last word and turns down at the right-hand margin. */
export function PathStart() {
  return (
    <Piece
      className="path-start"
      d="M0,79 C12,79 17,93 29,91 C45,88 49,36 66,35 C84,34 100,44 100,100"
      dot="M0,79h.01"
    />
  );
}

type PathLaneProps = {
  side: "left" | "right";
  /** How often the line swings out, to suit the height of the stretch. */
  bends: keyof typeof BENDS;
};

/** A stretch along one margin of the nearest positioned ancestor, from its top to its bottom. */
export function PathLane({ side, bends }: PathLaneProps) {
  return <Piece className={`path-lane path-lane-${side}`} d={BENDS[bends]} />;
}

const BENDS = {
  1: "M50,0 C50,30 76,32 76,52 C76,74 50,72 50,100",
  2: "M50,0 C50,13 77,16 77,32 C77,50 24,52 24,70 C24,87 50,88 50,100",
  4: "M50,0 C50,9 24,11 24,21 C24,34 74,34 74,47 C74,58 30,58 30,70 C30,82 64,80 64,88 C64,94 50,94 50,100",
} as const;

type PathCrossingProps = {
  to: "left" | "right";
  /** For the smaller space between two parts of one section. */
  short?: boolean;
};

/** A winding way to the other margin, through the free space between two sections. */
export function PathCrossing({ to, short = false }: PathCrossingProps) {
  return (
    <div className={short ? "path-crossing path-crossing-short" : "path-crossing"}>
      <Piece className={`path-to-${to}`} d={CROSSING[to]} />
    </div>
  );
}

const CROSSING = {
  left: "M100,0 C100,46 93,60 80,56 C62,50 54,22 38,30 C22,38 24,74 10,72 C3,71 0,78 0,100",
  right: "M0,0 C0,40 6,54 18,52 C34,49 40,76 56,74 C74,72 76,40 89,44 C97,46 100,68 100,100",
} as const;

/** The last stretch, from the right-hand margin to the middle of the frame, where the sun stands. */
export function PathEnd() {
  return (
    <div className="path-crossing">
      <Piece
        className="path-to-left"
        d="M100,0 C100,34 95,46 86,44 C74,42 72,18 62,20 C51,22 50,60 50,100"
      />
    </div>
  );
}

function Piece({ className, d, dot }: { className: string; d: string; dot?: string }) {
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      className={`path-piece ${className}`}
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
    >
      <path d={d} />
      {dot && <path d={dot} className="path-dot" />}
    </svg>
  );
}
