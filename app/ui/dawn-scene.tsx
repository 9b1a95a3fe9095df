/**
 * The book's landscape before sunrise, the golden path winding up to the light. Fills its parent, which may be low and
 * wide: the sun is in the middle of the drawing.
 */
export function DawnScene() {
  return (
    <svg
      viewBox="0 0 480 640"
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full"
      fill="none"
      aria-hidden="true"
      focusable="false"
    >
      <defs>
        <radialGradient id="dawn-glow" cx="0.62" cy="0.5" r="0.62">
          <stop offset="0" className="[stop-color:var(--color-gold)] [stop-opacity:0.42]" />
          <stop offset="0.45" className="[stop-color:var(--color-gold)] [stop-opacity:0.1]" />
          <stop offset="1" className="[stop-color:var(--color-gold)] [stop-opacity:0]" />
        </radialGradient>
        <linearGradient id="dawn-path" x1="0" y1="1" x2="0" y2="0">
          <stop offset="0" className="[stop-color:var(--color-gold)]" />
          <stop offset="1" className="[stop-color:var(--color-gold-pale)]" />
        </linearGradient>
      </defs>
      <rect width="480" height="640" className="fill-night" />
      <rect width="480" height="640" fill="url(#dawn-glow)" />
      <circle cx="298" cy="322" r="46" className="fill-gold-pale" />
      <path
        className="fill-night-soft"
        d="M0 366c64-34 112-48 170-36 44 9 66 32 118 28 70-6 116-52 192-40v322H0z"
      />
      <path
        className="fill-[color-mix(in_oklab,var(--color-night)_55%,var(--color-night-soft))]"
        d="M0 436c88-40 148-34 216-8 84 32 160 18 264-34v246H0z"
      />
      <path className="fill-night" d="M0 520c74-30 150-34 234-10 96 27 166 20 246-16v146H0z" />
      <path
        fill="url(#dawn-path)"
        d="M176 640c14-46 120-62 136-98 12-28-92-34-88-66 3-26 92-24 100-50 5-18-38-26-34-44 3-10 12-16 20-20-4 5-9 11-10 20-2 16 42 22 40 46-3 32-78 32-80 52-2 22 104 26 100 66-4 42-78 60-84 94z"
      />
    </svg>
  );
}
