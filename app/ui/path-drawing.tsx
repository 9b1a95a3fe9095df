const GROUND = "M0 172c60-14 120-20 190-10s140 22 210 8 110-22 160-16";

/** The golden path as an illustration: lost among trees, at its goal, on the way, or turned around. */
export function PathDrawing({ shows }: { shows: keyof typeof DRAWINGS }) {
  return (
    <svg
      viewBox="0 0 560 200"
      className="path-drawing mb-10 h-auto w-[min(100%,35rem)] lg:absolute lg:top-1/2 lg:right-(--gutter) lg:m-0 lg:w-[min(40%,34rem)] lg:[translate:0_-50%]"
      fill="none"
      strokeLinecap="round"
      aria-hidden="true"
      focusable="false"
    >
      <path className="stroke-line" strokeWidth="2" d={GROUND} />
      <g strokeWidth="4" className="stroke-gold">
        {DRAWINGS[shows]}
      </g>
    </svg>
  );
}

const LOOP = "M4 132c52 22 96 26 132 4 40-24 26-78-8-72-38 7-22 70 40 78 44 6 76-12 106-34";

const DRAWINGS = {
  lost: (
    <>
      <path d={LOOP} />
      <path strokeDasharray="1 15" d="M292 94c30-22 62-36 98-34 40 2 58 30 92 34 26 3 46-6 70-22" />
      <g className="stroke-ink-soft" strokeWidth="2">
        <path d="M330 168v-46M318 140l12-18 12 18M314 154l16-20 16 20" />
        <path d="M426 164v-60M410 128l16-24 16 24M404 148l22-28 22 28" />
        <path d="M520 152v-38M510 130l10-16 10 16M506 142l14-18 14 18" />
      </g>
    </>
  ),
  arrived: (
    <>
      <path d={`${LOOP}c44-32 78-46 114-40 44 8 46 62 82 70`} />
      <path className="fill-gold" d="M456 157a36 36 0 0 1 72-3z" strokeWidth="2" />
      <path d="M462 96l-7-13M492 88v-14M522 96l7-13M544 114l12-8" strokeWidth="3" />
    </>
  ),
  waiting: (
    <>
      <path d={LOOP} />
      <path strokeDasharray="1 15" d="M290 96c38-28 66-32 98-28 44 6 46 60 66 70" />
      <path d="M458 157a36 36 0 0 1 72-3" />
    </>
  ),
  turned: (
    <path d="M4 128c70-18 120-58 196-62 66-4 112 20 108 54-4 30-62 38-92 18-28-20 10-52 62-58 70-8 130 18 190 10 34-5 62-16 88-32" />
  ),
} as const;
