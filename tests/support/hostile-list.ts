import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { randomNumbers } from "./random-numbers";

/** The format of a list. Byte order marks are written for UTF-16, and for UTF-8 if so named. */
export type ListFormat = {
  encoding: "utf-8" | "utf-8 with BOM" | "utf-16le" | "utf-16be" | "windows-1252";
  header: string[];
  delimiter: string;
  newline: string;
};

/** The expected result of reading a list. */
export type HostileList = {
  /** In bytes. */
  size: number;
  /** Distinct addresses: `reader-0@example.test` and so on. */
  distinct: number;
  /** Records with a usable address. */
  listed: number;
  /** The lines to be refused, with the reason. */
  refused: Map<number, string>;
};

type Options = {
  /** In characters; the list ends with the record that reaches it. */
  length: number;
  seed: number;
  format: ListFormat;
  /** Of the longest cells, in characters. */
  longest?: number;
  /** Of the longest notes in ordinary records, in sentences. */
  sentences?: number;
};

/** The column of addresses is the second one. */
export const FORMATS: Record<string, ListFormat> = {
  "UTF-8": { encoding: "utf-8", header: ["Name", "email", "Notes"], delimiter: ",", newline: "\n" },
  "UTF-8 with a byte order mark": {
    encoding: "utf-8 with BOM",
    header: ["Name", "E-Mail", "Notizen"],
    delimiter: ";",
    newline: "\r\n",
  },
  "UTF-16, little-endian": {
    encoding: "utf-16le",
    header: ["Name", "EMAIL ADDRESS", "Notes"],
    delimiter: "\t",
    newline: "\r\n",
  },
  "UTF-16, big-endian": {
    encoding: "utf-16be",
    header: ["Név", "Email Address", "Jegyzet"],
    delimiter: ",",
    newline: "\n",
  },
  "windows-1252": {
    encoding: "windows-1252",
    header: ["Prénom", "Adresse", "Remarques"],
    delimiter: ";",
    newline: "\r",
  },
};

const NOTES = "She wrote that the third chapter had found her at the right time. ";

/**
 * Writes a list as real and malicious exports do: with quotes and line breaks in names, formulas, NULs, repeated
 * addresses, thousands of columns, stray and unclosed quotes, cells of megabytes. The same seed gives the same list.
 */
export async function writeHostileList(
  path: string,
  { length, seed, format, longest = 100_000, sentences = 12 }: Options,
): Promise<HostileList> {
  const random = randomNumbers(seed);
  const { delimiter, newline, encoding } = format;
  const list: HostileList = { size: 0, distinct: 0, listed: 0, refused: new Map() };
  const file = createWriteStream(path);
  const encode = encoderFor(encoding);
  let line = 1;
  let written = 0;

  const write = async (text: string) => {
    const bytes = encode(text);
    list.size += bytes.length;
    written += text.length;
    if (!file.write(bytes)) await once(file, "drain");
  };
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const newAddress = () => `reader-${list.distinct++}@example.test`;
  const notes = () => NOTES.repeat(Math.floor(random() * sentences));
  const accented = () => (random() < 0.3 ? "Zoé “Ünal”" : "A. Reader");

  const good = (cells: string[]) => {
    list.listed += 1;
    return cells.join(delimiter);
  };
  const bad = (reason: string, cells: string[]) => {
    list.refused.set(line, reason);
    return cells.join(delimiter);
  };
  const ordinary = () => good([accented(), newAddress(), notes()]);
  const unusual: (() => string)[] = [
    () => good([accented(), `  ${newAddress().toUpperCase()} `, notes()]),
    () => good(["=1+1", `reader-${Math.floor(random() * list.distinct)}@Example.TEST`, "+x"]),
    () => good([quoted("Reader, A."), quoted(newAddress()), quoted(`x ${delimiter} ""`)]),
    () => good(['5" pipe', newAddress(), "an inch is not a quote"]),
    () => good([quoted(`A.${newline}Reader`), newAddress(), quoted(`${newline}${newline}`)]),
    () => bad("not an email address", ["A. Reader", "reader at example", ""]),
    () => bad("not an email address", ["A. Reader", "reader\0@example.test", notes()]),
    () => bad("not an email address", ["A. Reader", "=HYPERLINK(1)", ""]),
    () => bad("no email address", ["A. Reader", "", notes()]),
    () => bad("no email address", ["A. Reader"]),
    () => bad("a quotation mark is not closed", ['"A. Reader', "a@example.test", ""]),
    () => "   ",
  ];
  const long: (() => string)[] = [
    () => good(["A. Reader", newAddress(), ...Array.from({ length: 5_000 }, () => "x")]),
    () => bad("longer than 65536 characters", ["A. Reader", "a@example.test", "x".repeat(longest)]),
  ];
  const any = (kinds: (() => string)[]) => kinds[Math.floor(random() * kinds.length)] ?? ordinary;
  const next = () => {
    const chance = random();
    if (chance < 0.7) return ordinary;
    return any(chance < 0.998 ? unusual : long);
  };

  await write(format.header.join(delimiter) + newline);
  line += 1;
  // at least one of each kind
  const first = [ordinary, ...unusual, ...long];
  while (written < length || first.length > 0) {
    const record = (first.pop() ?? next())();
    await write(record + newline);
    line += record.split(newline).length;
  }
  file.end();
  await once(file, "close");
  return list;
}

function encoderFor(encoding: ListFormat["encoding"]): (text: string) => Buffer {
  let isFirst = encoding !== "utf-8" && encoding !== "windows-1252";
  const withMark = (text: string) => {
    const marked = isFirst ? `\ufeff${text}` : text;
    isFirst = false;
    return marked;
  };
  switch (encoding) {
    case "utf-8":
    case "utf-8 with BOM":
      return (text) => Buffer.from(withMark(text));
    case "utf-16le":
      return (text) => Buffer.from(withMark(text), "utf16le");
    case "utf-16be":
      return (text) => Buffer.from(withMark(text), "utf16le").swap16();
    case "windows-1252":
      // its curly quotes are where Latin-1 has control characters
      return (text) => Buffer.from(text.replaceAll("“", "\x93").replaceAll("”", "\x94"), "latin1");
  }
}
