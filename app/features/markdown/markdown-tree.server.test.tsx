import fc from "fast-check";
import type { Element } from "hast";
import { renderToStaticMarkup } from "react-dom/server";
import { visit } from "unist-util-visit";
import { describe, expect, it } from "vitest";
import { MarkdownContent } from "./markdown-content";
import { beginningOf, type MarkdownTree, markdownTree } from "./markdown-tree.server";

const PICTURE = { src: "/newsletter/images/secret.png", width: 4, height: 3 };
const imageAt = (address: string) => (address === "lake.png" ? PICTURE : undefined);
const html = (tree: MarkdownTree) => renderToStaticMarkup(<MarkdownContent tree={tree} />);
const render = (source: string, base?: string) => html(markdownTree(source, { base, imageAt }));

function elementsOf(tree: MarkdownTree): Element[] {
  const elements: Element[] = [];
  visit(tree, "element", (element) => {
    elements.push(element);
  });
  return elements;
}

describe("markdownTree", () => {
  it("renders everything a letter needs", () => {
    const source = [
      "Some *words* of **weight**, ~~gone~~, `code`.",
      "- one\n- two",
      "3. three",
      "> said",
      "[here](https://a.example 'title')",
      "---",
      "![A lake](lake.png)",
      "| a | b |\n|:--|--:|\n| c | d |",
      "www.example.com and me@example.com",
    ].join("\n\n");
    expect(render(source).replaceAll("\n", "")).toBe(
      '<p>Some <em>words</em> of <strong>weight</strong>, <del>gone</del>, <code>code</code>.</p><ul><li>one</li><li>two</li></ul><ol start="3"><li>three</li></ol><blockquote><p>said</p></blockquote><p><a href="https://a.example" title="title">here</a></p><hr/><p><img alt="A lake" src="/newsletter/images/secret.png" width="4" height="3"/></p><table><thead><tr><th style="text-align:left">a</th><th style="text-align:right">b</th></tr></thead><tbody><tr><td style="text-align:left">c</td><td style="text-align:right">d</td></tr></tbody></table><p><a href="http://www.example.com">www.example.com</a> and <a href="mailto:me@example.com">me@example.com</a></p>',
    );
  });

  it("shows the description of an image that the site does not have", () => {
    expect(render("![A sea](https://elsewhere.example/sea.png)")).toBe("<p>A sea</p>");
  });

  it("resolves links for readers outside the site", () => {
    expect(render("[join](/premium#now)", "https://book.example")).toBe(
      '<p><a href="https://book.example/premium#now">join</a></p>',
    );
  });

  it.each([
    ["# a\n## b\n# c", "h2 h3 h2"],
    ["### a\n##### b\n###### c\n### d", "h2 h3 h4 h2"],
    ["## a\n# b", "h2 h2"],
    ["###### a\n# b\n###### c", "h2 h2 h3"],
  ])("nests headings below the page's own and skips no level: %j", (source, levels) => {
    const found = elementsOf(markdownTree(source, { imageAt }));
    expect(found.map(({ tagName }) => tagName).join(" ")).toBe(levels);
  });
});

describe("beginningOf", () => {
  const beginning = (source: string) => {
    const { tree, isWhole } = beginningOf(markdownTree(source, { imageAt }));
    return [html(tree).replaceAll("\n", ""), isWhole];
  };

  it("ends at the mark", () => {
    expect(beginning("a\n\n<!-- more -->\n\nb")).toEqual(["<p>a</p>", false]);
    expect(beginning("a\n\nb\n\n<!--more-->")).toEqual(["<p>a</p><p>b</p>", true]);
    expect(beginning("<!-- more -->\n\na")).toEqual(["", false]);
  });

  it("has three blocks without a mark", () => {
    expect(beginning("a\n\nb\n\nc\n\nd\n\ne\n\nf")[0]).toBe("<p>a</p><p>b</p><p>c</p>");
  });

  it.each([
    ["a", ""],
    ["a\n\nb", "<p>a</p>"],
    ["a\n\nb\n\nc", "<p>a</p>"],
    ["a\n\nb\n\nc\n\nd\n\ne", "<p>a</p><p>b</p>"],
  ])("has at most half of a short text: %j", (source, shown) => {
    expect(beginning(source)).toEqual([shown, false]);
  });
});

describe("any text", () => {
  const ELEMENTS =
    /^(h[2-6]|p|blockquote|[uo]l|li|pre|hr|table|thead|tbody|t[rhd]|a|em|strong|del|code|br|img|sub|sup|kbd)$/;
  const ATTRIBUTES = ["href", "title", "src", "alt", "width", "height", "start", "align"];

  const fragment = fc.constantFrom(
    ...["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>"],
    ...["<a href=javascript:alert(1)>x</a>", "[x](javascript:alert(1))", "[x](JaVaScRiPt&colon;a)"],
    ...["[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](vbscript:x)", "[x]( \u0001javascript:x)"],
    ...["![x](javascript:a)", "![x](data:image/svg+xml,<svg/onload=a>)", "![x](//e.example/p.gif)"],
    ...["![x](lake.png)", "[x]: javascript:alert(1)", "[x]", "![x][x]", "<javascript:alert(1)>"],
    ...["<style>*{}</style>", "<iframe srcdoc='<script>'>", "<!-- --><script>-->", "<!-- more -->"],
    ...["<!--\n\n", "-->", "]]>", "<![CDATA[", "<?php", "&lt;script&gt;", "\\<script>", "`<b>`"],
    ...[
      "[^1]",
      "[^1]: note",
      "- [x] done",
      "# h",
      "###### h",
      "```html",
      "| a |\n|---|",
      "> ",
      "1. ",
    ],
    ...["\n", "\n\n", "    ", "**", "_", "~~", "\u0000", "\u202e", "\r\nBcc: a@b.example\r\n"],
  );
  const text = fc.oneof(
    fc
      .array(fc.oneof(fragment, fc.string({ maxLength: 12 })), { maxLength: 24 })
      .map((all) => all.join("")),
    fc.array(fragment, { maxLength: 16 }).map((all) => all.join("\n\n")),
  );

  it("yields only harmless elements, attributes and addresses", () => {
    fc.assert(
      fc.property(text, (source) => {
        const tree = markdownTree(source, { base: "https://book.example", imageAt });
        for (const { tagName, properties } of elementsOf(tree)) {
          expect(tagName).toMatch(ELEMENTS);
          expect(ATTRIBUTES).toEqual(expect.arrayContaining(Object.keys(properties)));
          if (tagName === "img") expect(properties.src).toBe(PICTURE.src);
          if (properties.href === undefined) continue;
          expect(["http:", "https:", "mailto:"]).toContain(
            new URL(String(properties.href), "https://book.example").protocol,
          );
        }
        // React escapes all text, so anything like an element is one
        const tags = [...html(tree).matchAll(/<\/?([^\s/>]*)/g)].map(([, name = ""]) => name);
        for (const name of tags) expect(name).toMatch(ELEMENTS);
      }),
    );
  });

  it("has a beginning without anything after the mark", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const source = `${before}\n\n<!-- more -->\n\n${after}\n\nSECRET`;
        const tree = markdownTree(source, { imageAt });
        const marked = tree.children.some(({ type }) => type === "comment");
        // an open code block or comment swallows the mark, and then blocks count
        fc.pre(marked);
        expect(html(beginningOf(tree).tree)).not.toContain("SECRET");
      }),
    );
  });
});
