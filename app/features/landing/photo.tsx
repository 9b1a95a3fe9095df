import { PREVIEW_MEDIA_PATH } from "~/features/library/library-paths";
import type { SiteImage } from "~/features/site/site";

/** A picture's address, size and description. */
export type PhotoSource = {
  src: string;
  /** Other sizes; absent if there is only one. */
  srcSet?: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  alt: string;
};

type PhotoProps = {
  source: PhotoSource;
  sizes: string;
  /** Whether it is the largest picture above the fold, to be loaded first and never lazily. */
  priority?: boolean;
};

/** Returns an edition's own picture, which this site serves. */
export const editionPhoto = (image: SiteImage): PhotoSource => ({
  src: (image.folder ?? PREVIEW_MEDIA_PATH) + image.name,
  width: image.width,
  height: image.height,
  alt: image.alt,
});

/**
 * A picture that covers its parent at any aspect ratio. The parent's background or drawing shows while it loads. If it
 * fails, a layer with the parent's `--drawing` covers the browser's broken-image icon (photo.css). With JavaScript the
 * picture then becomes transparent (`usePhotoFailures`).
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
      // React 18 supports the attribute only in lower case
      {...(priority ? { fetchpriority: "high" } : {})}
      referrerPolicy="no-referrer"
    />
  );
}
