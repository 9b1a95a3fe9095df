type IconProps = { className?: string };

/** Returns one of the site's icons: 24-unit line drawings in the text's color, always decorative. */
const icon =
  (drawing: string) =>
  ({ className = "size-6" }: IconProps) => (
    <svg
      viewBox="0 0 24 24"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawing} />
    </svg>
  );

export const CloseIcon = icon("M6 6l12 12M18 6L6 18");
export const MenuIcon = icon("M4 7.5h16M4 12h16M4 16.5h10");
export const ArrowLeftIcon = icon("M20 12H4.5M10.5 5.5L4 12l6.5 6.5");
export const SearchIcon = icon(
  "M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0zM15.5 15.500l4.5 4.5",
);
export const CheckIcon = icon("M5 12.5l4.5 4.5L19 7.5");
export const ExclamationIcon = icon("M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0zM12 7.5v5.5M12 16.4v.1");

/** The logo: the golden path, winding up to a low sun. */
export function PathMark({ className = "size-9" }: IconProps) {
  return (
    <svg viewBox="0 0 36 36" className={className} fill="none" aria-hidden="true" focusable="false">
      <circle className="fill-night" cx="18" cy="18" r="18" />
      <circle className="fill-gold-pale" cx="22" cy="12.500" r="4.500" />
      <path
        className="fill-night-soft"
        d="M.06 16.500c6-3.200 11.500-2.600 16.500.2 5 2.900 11.500 1.600 19-2.700A18 18 0 1 1 .06 16.500z"
      />
      <path
        className="fill-gold"
        d="M9.500 33.800c1.200-3.700 9.200-4.300 10-7 .7-2.300-6-2.700-5.700-5.300.2-2.200 6.600-2 7.200-4.300-.2 2.500-3.300 2.900-3.300 4.200 0 1.700 7.500 1.700 7.300 5.200-.2 3.500-5.500 4.700-6.200 9a18 18 0 0 1-9.300-1.800z"
      />
    </svg>
  );
}
