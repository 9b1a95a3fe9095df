import readExif from "exif-reader";

/** How Exif data begins in every format: the header of a TIFF file, in either byte order. */
const TIFF_HEADERS = [Buffer.from("II*\0", "latin1"), Buffer.from("MM\0*", "latin1")];

/** The name of the latitude in XMP, which programs write beside Exif, as text. */
const XMP_LATITUDE = "GPSLatitude";

/** Whether an image says where it was taken, as cameras and phones record it, in Exif or XMP. */
export function hasLocation(content: Buffer): boolean {
  if (content.includes(XMP_LATITUDE)) return true;
  return TIFF_HEADERS.some((header) => {
    for (let at = content.indexOf(header); at !== -1; at = content.indexOf(header, at + 1)) {
      if (hasLatitude(content.subarray(at))) return true;
    }
    return false;
  });
}

function hasLatitude(tiff: Buffer): boolean {
  try {
    return readExif(tiff).GPSInfo?.GPSLatitude !== undefined;
  } catch {
    // pixels that happen to look like a header
    return false;
  }
}
