/**
 * Adding one file to a ZIP archive without reading it: the archive is its files, then a directory of them, then
 * where the directory is (PKWARE's APPNOTE, 4.3). The new file goes between the files and the directory.
 */

const END_SIGNATURE = 0x06054b50;

/** The length of the end of an archive that has no comment, in bytes. */
export const ARCHIVE_END_LENGTH = 22;

/** Where an archive's directory is. */
export type ArchiveEnd = { entries: number; directoryOffset: number; directoryLength: number };

/** Reads an archive's last `ARCHIVE_END_LENGTH` bytes. Throws if it is not a plain archive without a comment. */
export function readArchiveEnd(end: Buffer): ArchiveEnd {
  const entries = end.readUInt16LE(10);
  const directoryOffset = end.readUInt32LE(16);
  if (end.readUInt32LE(0) !== END_SIGNATURE || entries >= 0xffff || directoryOffset >= 0xffffffff) {
    throw new Error("The archive has no plain end.");
  }
  return { entries, directoryOffset, directoryLength: end.readUInt32LE(12) };
}

/** What an archive's parts are followed by once a file is added to it. */
export type Addition = {
  /** After the archive's files. */
  file: Buffer;
  /** After its directory, and the end. */
  directoryEnd: Buffer;
};

/** What adds the only file of `single`, an archive of one, to an archive that ends like `base`. */
export function additionOf(single: Buffer, base: ArchiveEnd): Addition {
  const end = Buffer.from(single.subarray(-ARCHIVE_END_LENGTH));
  const { directoryOffset, directoryLength } = readArchiveEnd(end);
  const file = single.subarray(0, directoryOffset);
  const record = Buffer.from(single.subarray(directoryOffset, directoryOffset + directoryLength));
  // where the file begins
  record.writeUInt32LE(base.directoryOffset, 42);
  end.writeUInt16LE(base.entries + 1, 8);
  end.writeUInt16LE(base.entries + 1, 10);
  end.writeUInt32LE(base.directoryLength + record.length, 12);
  end.writeUInt32LE(base.directoryOffset + file.length, 16);
  return { file, directoryEnd: Buffer.concat([record, end]) };
}
