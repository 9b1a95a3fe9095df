/** In UTF-16 code units; the end is not part of it. */
export type Range = { start: number; end: number };

/** Part of a text as it is searched, and its place in the original. */
export type FoldedPiece = Range & { text: string };

/** Letters that Unicode does not decompose, as people spell them who lack them on their keyboard. */
const SPELLINGS: Record<string, string> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ŧ: "t" },
  ...{ ı: "i", ς: "σ", "\u2010": "-", "\u02bc": " " },
};

/** Accents, vowel points, invisible characters, Arabic's stretching, and the half rings of transliterations. */
const LEFT_OUT =
  /(?![\u3099\u309a])(?=[\p{sc=Inherited}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}|[\p{Default_Ignorable_Code_Point}\u0640\u02bb\u02be\u02bf]/gu;

/** A character with its marks, among them those of half-width Japanese. */
const CHARACTER = /\P{M}[\p{M}\uff9e\uff9f]*|\p{M}+/gu;

/** A letter of a script without spaces between words. */
const SPACELESS =
  "(?=[\\p{L}\\p{M}])[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]";
const IS_SPACELESS = new RegExp(`^${SPACELESS}`, "u");

const ONE_SPACELESS = new RegExp(`'${SPACELESS}\\p{M}*'`, "gu");

/** A word that PostgreSQL may replace by its stem. */
const STEMMED = /(?<![a-z\d])[a-z][a-z\d]*/gi;

/** Begins a word that is indexed as it is written, beside its stem. No folded text contains this letter. */
const WRITTEN = "þ";

/** Letters of characters that were folded, since a chapter in Chinese has thousands again and again. */
const known = new Map<string, readonly string[]>();
const MAX_KNOWN = 10_000;

/** Returns the letters of a character beyond ASCII; none if it is left out. */
function lettersOf(character: string): readonly string[] {
  const found = known.get(character);
  if (found) return found;
  const letters =
    character
      .normalize("NFKD")
      .replace(LEFT_OUT, "")
      .toLowerCase()
      .replace(/\P{ASCII}/gu, (letter) => SPELLINGS[letter] ?? letter)
      .normalize("NFC")
      .replace(/[^\p{L}\p{N}\p{M}-]/gu, " ")
      .match(CHARACTER) ?? [];
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(character, letters);
  return letters;
}

/** Yields folded parts of a text. The letters of a script without spaces come together, in an array. */
function* foldedParts(text: string): Generator<FoldedPiece | FoldedPiece[]> {
  let run: FoldedPiece[] = [];
  for (const { 0: part, index } of text.matchAll(/\p{ASCII}+|\P{ASCII}[\p{M}\uff9e\uff9f]*/gu)) {
    const place = { start: index, end: index + part.length };
    const isPlain = part.charCodeAt(0) < 0x80;
    for (const letter of isPlain ? [part.replace(/[^a-z\d\n-]/gi, " ")] : lettersOf(part)) {
      if (IS_SPACELESS.test(letter)) {
        run.push({ text: letter, ...place });
        continue;
      }
      if (run.length > 0) yield run;
      run = [];
      yield { text: letter, ...place };
    }
  }
  if (run.length > 0) yield run;
}

/**
 * Returns a text in the form that is indexed and searched, in pieces: letters without accents, digits and hyphens, and
 * spaces for everything else. Case is left to PostgreSQL where it is ASCII. Of scripts without spaces, each two
 * neighbours are a word, and so is the last letter, which a search for one letter finds as the beginning of a word.
 * With the character classification "C", as in the embedded database, PostgreSQL takes all characters beyond ASCII,
 * such as dashes, for letters. It takes `and/or` for a file's path.
 */
export function foldText(text: string): FoldedPiece[] {
  const pieces: FoldedPiece[] = [];
  const space = (at: number) => pieces.push({ text: " ", start: at, end: at });
  for (const part of foldedParts(text)) {
    if (!Array.isArray(part)) {
      pieces.push(part);
      continue;
    }
    space(part[0]?.start ?? 0);
    for (const [index, letter] of part.entries()) {
      const next = part[index + 1];
      pieces.push(letter);
      if (next) pieces.push(next);
      space((next ?? letter).end);
    }
  }
  pieces.push({ text: "", start: text.length, end: text.length });
  return pieces;
}

/** Returns the whole text of some pieces. */
export const textOf = (pieces: readonly FoldedPiece[]) => pieces.map(({ text }) => text).join("");

/**
 * Returns a search in the same form, in the syntax of `websearch_to_tsquery`: neighbouring letters of a script without
 * spaces are a phrase of pairs.
 */
export function foldSearch(words: string): string {
  return words
    .replace(/[“”„«»]/g, '"')
    .split('"')
    .map((part, index) => {
      const quote = index % 2 === 0 ? '"' : "";
      let folded = "";
      for (const piece of foldedParts(part)) {
        if (!Array.isArray(piece)) {
          folded += piece.text;
          continue;
        }
        const pairs = piece.slice(1).map(({ text }, at) => piece[at]?.text + text);
        const before = folded.endsWith("-") ? "" : " ";
        folded +=
          pairs.length === 0
            ? `${before}${piece[0]?.text} `
            : `${before}${quote}${pairs.join(" ")}${quote} `;
      }
      return folded;
    })
    .join('"');
}

/** Lets a single letter of a script without spaces, in the text of a tsquery, find all words that it begins. */
export const withBeginnings = (query: string) => query.replace(ONE_SPACELESS, "$&:*");

/** Returns the words of a folded text whose stem differs from what is written, marked as they are written. */
export const writtenWords = (folded: string) =>
  (folded.match(STEMMED) ?? []).map((word) => WRITTEN + word).join(" ");

/** Returns a folded search for words as they are written. */
export const writtenSearch = (search: string) =>
  search.replace(STEMMED, (word) => (word.toLowerCase() === "or" ? word : WRITTEN + word));

/** Returns where ranges of a folded text, in order, are in the original. Ranges that touch become one. */
export function originalRanges(pieces: readonly FoldedPiece[], ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  let index = 0;
  let at = 0;
  const placeOf = (position: number): Range => {
    let piece = pieces[index];
    for (; piece && position >= at + piece.text.length; piece = pieces[index]) {
      at += piece.text.length;
      index += 1;
    }
    const { text, start, end } = piece ?? { text: "", start: 0, end: 0 };
    const offset = text.length === end - start ? position - at : 0;
    const isLast = position + 1 === at + text.length;
    // what was left out, such as an accent, belongs to the letter before it
    const next = isLast ? Math.max(end, pieces[index + 1]?.start ?? end) : start + offset + 1;
    return { start: start + offset, end: next };
  };
  for (const range of ranges) {
    const { start } = placeOf(range.start);
    const { end } = placeOf(range.end - 1);
    const last = found.at(-1);
    if (last && start <= last.end) last.end = end;
    else found.push({ start, end });
  }
  return found;
}
