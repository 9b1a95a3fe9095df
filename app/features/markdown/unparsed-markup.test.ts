import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./markdown-tree.server";
import { unparsedMarkup } from "./unparsed-markup";

const problemsOf = (text: string) => unparsedMarkup(parseMarkdown(text), text);

describe("markup that is shown as its characters is named with its line", () => {
  it.each([
    ["an image with spaces: rust-lang/mdBook #2301", "![A gate](my photo.jpg)", "<my photo.jpg>"],
    ["one with an address", "![A](https://a.example/my photo.jpg)", "<>"],
    ["one with a title in curly quotes", "![A](a.jpg “At dawn”)", "<>"],
    ["one that has no line", "![A gate][nowhere]", "add the line"],
    ["a link with spaces", "[A gate](my gate.md)", "<>"],
    ["a link that has no line", "[x][nowhere]", "add the line"],
    ["a link with a space within", "[x] (https://a.example)", "no space"],
    ["a link the wrong way round", "(x)[https://a.example]", "[words](address)"],
    ["a line of an address with spaces", "[x]: my photo.jpg", "<>"],
    ["a footnote with a space", "[^a b]", "without spaces"],
    ["Pandoc's footnote", "Words^[and a note].", "[^1]"],
    ["attributes: ubugeeei-prod/ox-content #1350", "{#id .class}", "leave it out"],
    ["Pandoc's class of words", "[small]{.smallcaps}", "leave it out"],
    ["a fence of Pandoc's", "::: note", "begin the lines between them with >"],
    ["Pandoc's definition", "A word\n: what it means", "a list"],
    ["Pandoc's source", "[@doe99, p. 33]", "as text"],
    ["a table without its second line", "| a | b |\n| c | d |", "second line"],
    ["a table with too short a second line", "| a | b |\n| - |", "second line"],
    ["a heading without a space", "##Heading", "a space after"],
    ["bold words without an end", "**Bold words", "the same marks"],
    ["bold words and a space: gamosoft/NoteDiscovery #243", "a ** word ** b", "no space"],
    [
      "bold words in Japanese: commonmark/commonmark-spec #650",
      "これは**「重要」**です",
      "the same marks",
    ],
    ["Obsidian's link", "[[Small hinges|hinges]]", "[words](file)"],
    ["Obsidian's image", "![[photo.png]]", "![description](file)"],
    ["Obsidian's mark", "a ==marked word== here", "**…**"],
    ["Obsidian's comment", "%% to do %%", "<!-- … -->"],
    ["Obsidian's callout: mokeyish/obsidian-enhancing-export #169", "> [!note] Look", "without it"],
    ["Notion's emoji", "Hello :wave:", "the emoji itself"],
    ["LaTeX's page", "\\newpage", "***"],
    ["a formula", "$$a = b$$", "as text"],
    ["a formula within words", "is $x^2$ now", "as text"],
    ["Jekyll's tag", "{% include a.html %}", "leave it out"],
  ])("%s", (_name, text, advice) => {
    const problems = problemsOf(`# A\n\nOne.\n\n${text}\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.line).toBeGreaterThanOrEqual(5);
    expect(problems[0]?.problem).toContain("is shown as it stands; ");
    expect(problems[0]?.problem).toContain(advice);
    expect(problemsOf(`\`${text.replace("\n", " ")}\`\n\n~~~\n${text}\n~~~`)).toEqual([]);
  });

  it("as are all of a paragraph, each with its own line, and a cell too many", () => {
    expect(problemsOf("One\n[x][y] and\n[^a b]\n\n| a | b |\n| - | - |\n| 1 | 2 | 3 |\n")).toEqual([
      { line: 2, problem: expect.stringContaining("'[x][y]'") },
      { line: 3, problem: expect.stringContaining("'[^a b]'") },
      { line: 7, problem: "the table's row has more than 2 cells; write \\| for a | within one" },
    ]);
  });
});

it.each([
  "f**k, f**** and D**n; **Terms** apply * here * and 2 * 3 * 4 ** 5",
  "Name: ________ and snake_case_word, __both__ and ~~struck~~",
  "He [sic] said [see, later] (or not), [1] and [2], an array[0](maybe), {of us} {a}, 100 %",
  "$5, $10 and $$$; a = b == c; C:\\Users\\label; 10:30:15; a:b:c; Dear all: this",
  "#amwriting and #1 | this or that | :-) :: ... ^ and x^y",
  "\\[x\\]\\[y\\] \\*\\*bold \\==a== \\{#a} \\!\\[A](my photo.jpg)",
  '[words](<my page.md>) ![A](a.jpg "At dawn") [1](https://a.example/b_(c)) <https://a.example>',
  "[x][y] [y][] [y]\n\n[y]: https://a.example",
  "**bold *both* words** and *a **b** c*, `[x][y]` <!-- [x][y] -->",
  "| a | b |\n| - | - |\n| 1 \\| 2 | `==3==` |\n| 1 |",
  "Words[^1].\n\n[^1]: A note with [brackets] (and more).",
])("prose and good markup such as %s is not", (text) => {
  expect(problemsOf(text)).toEqual([]);
});
