import { findDelimiter, readDelimiterHint } from "./delimiter";

/** The longest record that is parsed, in characters, and the most lines a quoted cell may run over. */
export const MAX_RECORD_LENGTH = 64 * 1024;
const MAX_RECORD_LINES = 50;

/** One record of a CSV file as text, and the number of the line it begins on, from 1. */
export type CsvRecord = {
  line: number;
  text: string;
  /** `unclosed`: a single line whose quote is never closed. `too-long`: only the beginning of a longer line. */
  kind: "complete" | "unclosed" | "too-long";
};

type Line = { number: number; text: string };

/**
 * Splits CSV text into records before they are parsed: a record is as many lines as it takes for a quoted cell
 * to be closed. If that would take more than the limits, or the quote that closes it stands where none can,
 * the first line becomes a record of its own and the search restarts at the next: an unclosed quote costs one
 * line and not the rest of the file. Blank lines are skipped; memory is bounded by `MAX_RECORD_LENGTH` and one
 * chunk.
 */
export class RecordSplitter {
  /** Learnt from the first line; a comma before. */
  delimiter = ",";

  #number = 1;
  #text = "";
  #isTooLong = false;
  #endedInCarriageReturn = false;
  #isFirst = true;
  /** The lines of a record with a quoted cell that is not closed so far. */
  #open: Line[] = [];
  #openLength = 0;

  /** The records that end within this chunk, in order. */
  push(chunk: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    if (chunk === "") return records;
    let start = this.#endedInCarriageReturn && chunk.startsWith("\n") ? 1 : 0;
    const newline = /\r\n|\n|\r/g;
    newline.lastIndex = start;
    for (let match = newline.exec(chunk); match; match = newline.exec(chunk)) {
      this.#append(chunk.slice(start, match.index));
      this.#endLine(records);
      start = newline.lastIndex;
    }
    this.#append(chunk.slice(start));
    this.#endedInCarriageReturn = chunk.endsWith("\r");
    return records;
  }

  /** The records that were still open at the end of the file. */
  end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    this.#endLine(records);
    this.#giveUp(records);
    return records;
  }

  #append(text: string): void {
    if (this.#isTooLong) return;
    this.#text += text;
    if (this.#text.length <= MAX_RECORD_LENGTH) return;
    this.#text = this.#text.slice(0, MAX_RECORD_LENGTH);
    this.#isTooLong = true;
  }

  #endLine(records: CsvRecord[]): void {
    const line = { number: this.#number, text: this.#text };
    const isTooLong = this.#isTooLong;
    this.#number += 1;
    this.#text = "";
    this.#isTooLong = false;
    if (this.#isFirst && line.text.trim() !== "") {
      this.#isFirst = false;
      const hint = readDelimiterHint(line.text);
      this.delimiter = hint ?? findDelimiter(line.text);
      if (hint !== null) return;
    }
    if (isTooLong) {
      this.#giveUp(records);
      records.push({ line: line.number, text: line.text, kind: "too-long" });
    } else {
      this.#add(line, records);
    }
  }

  #add(line: Line, records: CsvRecord[]): void {
    const isContinued = this.#open.length > 0;
    const end = endOfLine(line.text, isContinued, this.delimiter);
    if (!isContinued && end === "outside") {
      if (line.text.trim() !== "") {
        records.push({ line: line.number, text: line.text, kind: "complete" });
      }
      return;
    }
    this.#open.push(line);
    this.#openLength += line.text.length + 1;
    const isOverLimit =
      this.#open.length > MAX_RECORD_LINES || this.#openLength > MAX_RECORD_LENGTH;
    if (isOverLimit || end === "contradiction") {
      this.#releaseFirst(records);
    } else if (end === "outside") {
      const lines = this.#takeOpen();
      records.push({
        line: lines[0]?.number ?? line.number,
        text: lines.map(({ text }) => text).join("\n"),
        kind: "complete",
      });
    }
  }

  /** The first open line becomes a record, and those after it are grouped anew. */
  #releaseFirst(records: CsvRecord[]): void {
    const [first, ...others] = this.#takeOpen();
    if (!first) return;
    records.push({ line: first.number, text: first.text, kind: "unclosed" });
    for (const line of others) this.#add(line, records);
  }

  /** Nothing that comes can close the open quote. */
  #giveUp(records: CsvRecord[]): void {
    while (this.#open.length > 0) this.#releaseFirst(records);
  }

  #takeOpen(): Line[] {
    const lines = this.#open;
    this.#open = [];
    this.#openLength = 0;
    return lines;
  }
}

/**
 * Where a line ends: inside a quoted cell or outside. A quote opens a cell only at its beginning; elsewhere it
 * is text. "contradiction" if the cell that was open before the line would be closed in the middle of a cell.
 */
function endOfLine(
  line: string,
  startsInside: boolean,
  delimiter: string,
): "inside" | "outside" | "contradiction" {
  let isInside = startsInside;
  let isContinuedCell = startsInside;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) {
    if (!isInside) {
      isInside = isAtCellsEdge(line, at, -1, delimiter);
    } else if (line[at + 1] === '"') {
      at += 1;
    } else {
      if (isContinuedCell && !isAtCellsEdge(line, at, 1, delimiter)) return "contradiction";
      isInside = false;
      isContinuedCell = false;
    }
  }
  return isInside ? "inside" : "outside";
}

/** Whether only spaces are between a position and the end of its cell, in either direction. */
function isAtCellsEdge(line: string, at: number, step: 1 | -1, delimiter: string): boolean {
  let index = at + step;
  while (line[index] !== delimiter && /^[ \t\f]$/.test(line[index] ?? "")) index += step;
  return line[index] === undefined || line[index] === delimiter;
}
