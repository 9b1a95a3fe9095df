import type { LandingImage } from "~/features/library/landing-words";
import { PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";

/** Where a picture is, and what it shows. */
export type PhotoSource = {
  src: string;
  /** Other sizes of it; absent where there is only one. */
  srcSet?: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  alt: string;
};

type PhotoProps = {
  source: PhotoSource;
  sizes: string;
  /** The largest picture above the fold: fetched before the others, never lazily. */
  priority?: boolean;
};

/** A picture of the edition's own, which this site serves. */
export const editionPhoto = ({ name, width, height, alt }: LandingImage): PhotoSource => ({
  src: PREVIEW_MEDIA_PATH + name,
  ...{ width, height, alt },
});

/**
 * A picture laid over a drawing of our own (the parent's first child), which it covers whatever its shape. While it
 * loads, the drawing shows through. If it fails, a layer with the drawing covers the browser's broken-image icon
 * (photo.css), and with JavaScript the picture becomes transparent
 * (`usePhotoFailures`).
 */
export function Photo({ source, sizes, priority = false }: PhotoProps) {
  const { src, srcSet, width, height, alt } = source;
  return (
    <img
      className="photo"
      src={src}
      srcSet={srcSet}
      sizes={srcSet && sizes}
      width={width}
      height={height}
      alt={alt}
      decoding="async"
      loading={priority ? "eager" : "lazy"}
      // React 18 knows the attribute only in lower case
      {...(priority ? { fetchpriority: "high" } : {})}
      referrerPolicy="no-referrer"
    />
  );
}
