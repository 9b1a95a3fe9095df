/** A drawing of the reading room, without words and in the site's colors, so that it suits every book. */
export function ReadingRoomPicture() {
  return (
    <svg
      role="img"
      aria-label="A chapter on a large screen and on a phone, opened at the same place, with a highlighted passage and a note beside it"
      viewBox="0 0 400 250"
      className="h-auto w-full fill-none"
      strokeLinecap="round"
      strokeWidth="3"
    >
      <path
        className="fill-paper"
        d="M9 1h342a8 8 0 0 1 8 8v210a8 8 0 0 1-8 8H9a8 8 0 0 1-8-8V9a8 8 0 0 1 8-8z"
      />
      <g className="stroke-ink-soft">
        <path strokeWidth="2" d="M24 11l-4 4 4 4M30 15h24M146 15h68M328 19l5-9 5 9M330 16h6" />
        <path className="stroke-line" strokeLinecap="butt" strokeWidth="1" d="M1 29h358" />
        <path className="stroke-gold" strokeLinecap="butt" d="M1 29h150" />
        <path className="stroke-ink" strokeWidth="8" d="M112 58h88" />
        <path className="stroke-gold" strokeWidth="2" d="M134 77q11-6 22 0t22 0" />
        <path className="stroke-gold-text" strokeWidth="4" d="M63 101h20M73 101v20M69 121h8" />
        <path
          className="stroke-highlight"
          strokeLinecap="butt"
          strokeWidth="14"
          d="M58 153h190M58 167h92"
        />
        <path
          strokeOpacity="0.6"
          d="M94 101h152M94 112h148M94 123h140M60 139h186M60 153h184M60 167h86M158 167h84M60 181h180M60 195h184M60 209h110"
        />
        <path
          className="stroke-gold-text"
          strokeWidth="2"
          d="M262 147v28M272 153q4-4 8 0t8 0 8 0M272 164q4-4 8 0t8 0"
        />
        <path
          className="fill-paper stroke-line-strong"
          strokeWidth="2"
          d="M320 80h68a11 11 0 0 1 11 11v147a11 11 0 0 1-11 11h-68a11 11 0 0 1-11-11V91a11 11 0 0 1 11-11z"
        />
        <path className="stroke-gold" strokeLinecap="butt" d="M310 97h38" />
        <path
          className="stroke-highlight"
          strokeLinecap="butt"
          strokeWidth="14"
          d="M322 148h64M322 162h40"
        />
        <path
          strokeOpacity="0.6"
          d="M324 114h58M324 125h52M324 148h60M324 162h34M324 176h56M324 187h60M324 198h48M324 209h58M324 220h30"
        />
      </g>
    </svg>
  );
}
