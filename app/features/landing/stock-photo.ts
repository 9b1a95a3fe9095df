import type { PhotoSource } from "./photo";

/** Host of the landing page's photographs (specification, 2). The Content-Security-Policy allows it. */
export const PHOTO_ORIGIN = "https://images.unsplash.com";

type StockPhoto = {
  /** The photo's path on its host. */
  id: string;
  alt: string;
  /** In CSS pixels, at a width of `WIDTH`; sets the aspect ratio. */
  height: number;
};

/** The width at which photographs are shown at most, in CSS pixels. */
const WIDTH = 480;

/** Widths offered to the browser, in pixels. */
const WIDTHS = [320, 480, 640, 800, 960];

/** Returns a photograph from the external host, which crops it to the sizes that browsers may choose. */
export function stockPhoto({ id, alt, height }: StockPhoto): PhotoSource {
  const address = (shown: number) =>
    `${PHOTO_ORIGIN}/${id}?auto=format&fit=crop&q=75&w=${shown}&h=${Math.round((shown * height) / WIDTH)}`;
  return {
    src: address(WIDTH),
    srcSet: WIDTHS.map((shown) => `${address(shown)} ${shown}w`).join(", "),
    width: WIDTH,
    height,
    alt,
  };
}
