/** In UTF-16 code units; the end is not part of it. */
export type Range = { start: number; end: number };

type Letter = Range & { text: string };

/** A text as it is searched, and its parts with their places in the original. */
export type FoldedText = { text: string; parts: (Letter & { run?: Letter[] })[] };

/** Letters that Unicode does not decompose, as people spell them who lack them on their keyboard. */
// biome-ignore format: a table
const SPELLINGS: Record<string, string> = {
  ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ŧ: "t",
  ı: "i", ς: "σ", "\u2010": "-", "\u02bc": " ",
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

/** Characters folded before, since a chapter in Chinese has thousands again and again. */
const known = new Map<string, readonly { text: string; isSpaceless: boolean }[]>();
const MAX_KNOWN = 10_000;

/** Returns the letters of a character beyond ASCII; none if it is left out. */
function lettersOf(character: string) {
  const found = known.get(character);
  if (found) return found;
  const folded = character
    .normalize("NFKD")
    .replace(LEFT_OUT, "")
    .toLowerCase()
    .replace(/\P{ASCII}/gu, (letter) => SPELLINGS[letter] ?? letter)
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}-]/gu, " ");
  const letters = (folded.match(CHARACTER) ?? []).map((text) => ({
    text,
    isSpaceless: IS_SPACELESS.test(text),
  }));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(character, letters);
  return letters;
}

/**
 * Folds a text part by part. The letters of a script without spaces come together, in an array. A part with an empty
 * text was left out.
 */
function foldParts(source: string, onPart: (part: Letter | Letter[]) => void): void {
  let run: Letter[] = [];
  const endRun = () => {
    if (run.length > 0) onPart(run);
    run = [];
  };
  let start = 0;
  for (const part of source.match(/\p{ASCII}+|\P{ASCII}[\p{M}\uff9e\uff9f]*/gu) ?? []) {
    const end = start + part.length;
    const isPlain = part.charCodeAt(0) < 0x80;
    const letters = isPlain ? [] : lettersOf(part);
    const last = run.at(-1);
    if (letters.length === 0 && last && !isPlain) {
      last.end = end;
    } else if (letters.length === 0) {
      endRun();
      onPart({ text: isPlain ? part.replace(/[^a-z\d\n-]/gi, " ") : "", start, end });
    }
    for (const { text, isSpaceless } of letters) {
      if (isSpaceless) {
        run.push({ text, start, end });
      } else {
        endRun();
        onPart({ text, start, end });
      }
    }
    start = end;
  }
  endRun();
}

/**
 * Returns a text in the form that is indexed and searched: letters without accents, digits and hyphens, and spaces for
 * everything else. Case is left to PostgreSQL where it is ASCII. Of scripts without spaces, each two neighbors are a
 * word, and so is the last letter, which a search for one letter finds as the beginning of a word. With the character
 * classification "C", as in the embedded database, PostgreSQL takes all characters beyond ASCII, such as dashes, for
 * letters. It takes `and/or` for a file's path.
 */
export function foldText(source: string): FoldedText {
  const parts: FoldedText["parts"] = [];
  foldParts(source, (part) => {
    if (!Array.isArray(part)) {
      parts.push(part);
      return;
    }
    const words = part.map(({ text }, index) => text + (part[index + 1]?.text ?? ""));
    const [start, end] = [part[0]?.start ?? 0, part.at(-1)?.end ?? 0];
    parts.push({ text: ` ${words.join(" ")} `, start, end, run: part });
  });
  return { text: parts.map(({ text }) => text).join(""), parts };
}

/** Returns a text in lower case and with folded letters, all at their places. Fast, for rough comparisons. */
export const roughlyFolded = (source: string) =>
  source.toLowerCase().replace(/\P{ASCII}/gu, (character) =>
    lettersOf(character)
      .map(({ text }) => text)
      .join(""),
  );

/**
 * Returns a search in the same form, in the syntax of `websearch_to_tsquery`: neighboring letters of a script without
 * spaces are a phrase of pairs.
 */
export function foldSearch(words: string): string {
  return words
    .replace(/[“”„«»]/g, '"')
    .split('"')
    .map((part, index) => {
      const quote = index % 2 === 0 ? '"' : "";
      let folded = "";
      foldParts(part, (piece) => {
        if (!Array.isArray(piece)) {
          folded += piece.text;
          return;
        }
        const pairs = piece.slice(1).map(({ text }, at) => piece[at]?.text + text);
        const before = folded.endsWith("-") ? "" : " ";
        folded +=
          pairs.length === 0
            ? `${before}${piece[0]?.text} `
            : `${before}${quote}${pairs.join(" ")}${quote} `;
      });
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

/** Returns where words of a folded text, in order, are in the original. Words that touch become one range. */
export function originalRanges({ parts }: FoldedText, words: readonly Range[]): Range[] {
  let index = 0;
  let at = 0;
  const placeOf = (position: number): Range => {
    let part = parts[index];
    for (; part && position >= at + part.text.length; part = parts[index]) {
      at += part.text.length;
      index += 1;
    }
    const { text = "", start = 0, end = 0, run } = part ?? {};
    const offset = position - at;
    if (run) {
      // a run begins with a space, and its words are pairs of its letters
      const first = text.slice(0, offset).split(" ").length - 2;
      return { start: run[first]?.start ?? start, end: run[first + 1]?.end ?? end };
    }
    const isSame = text.length === end - start;
    // what is left out, such as an accent, belongs to the letter before it
    let next = index + 1;
    while (offset === text.length - 1 && parts[next]?.text === "") next += 1;
    if (next > index + 1)
      return { start: isSame ? start + offset : start, end: parts[next - 1]?.end ?? end };
    return isSame ? { start: start + offset, end: start + offset + 1 } : { start, end };
  };
  const found: Range[] = [];
  for (const word of words) {
    const { start } = placeOf(word.start);
    const { end } = placeOf(word.end - 1);
    const last = found.at(-1);
    if (last && start <= last.end) last.end = end;
    else found.push({ start, end });
  }
  return found;
}
