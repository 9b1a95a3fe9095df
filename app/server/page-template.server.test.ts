import { describe, expect, it } from "vitest";
import { escapeHtml, pageTemplate } from "./page-template.server";

type Markers = Readonly<
  Record<"user" | "email" | "initial" | "picture" | "nonce" | "data", string>
>;

const MARKERS: Markers = {
  user: "user1",
  email: "\ue000mail1",
  initial: "\ue000",
  picture: "picture1",
  nonce: "nonce1",
  data: '"data1"',
};
const OTHERS: Markers = {
  user: "user2",
  email: "\ue001mail2",
  initial: "\ue001",
  picture: "picture2",
  nonce: "nonce2",
  data: '"data2"',
};

const VALUES = {
  user: "7",
  email: "a@b.test",
  initial: "A",
  picture: "/a.png",
  nonce: "abc",
  data: '"{}"',
};

const from = (values: Record<string, string>) => (name: string) => values[name];

/** The template of a page that is rendered once with each set of markers. */
const templateOf = (page: (markers: Markers) => string) =>
  pageTemplate({ html: page(MARKERS), markers: MARKERS }, { html: page(OTHERS), markers: OTHERS });

const page = ({ email, initial, nonce, data }: Markers) =>
  `<b>${initial}</b><p title="${email}">${email}</p><script nonce="${nonce}">take(${data})</script>`;

describe("a page's template", () => {
  it("is filled in with each value wherever it stands", () => {
    expect(templateOf(page)?.fill(from(VALUES)).toString()).toBe(
      '<b>A</b><p title="a@b.test">a@b.test</p><script nonce="abc">take("{}")</script>',
    );
  });

  it("takes values as they are, whatever patterns or markers they look like", () => {
    const email = "$&$1\ue000mail1\ue001nonce1@b.test";
    const filled = templateOf(page)
      ?.fill(from({ ...VALUES, email }))
      .toString();
    expect(filled).toContain(`<p title="${email}">${email}</p>`);
    expect(filled).toContain('nonce="abc"');
  });

  it("takes a marker that begins with another for itself, in whatever order they are", () => {
    const reversed = (markers: Markers) => Object.fromEntries(Object.entries(markers).reverse());
    const template = pageTemplate(
      { html: page(MARKERS), markers: reversed(MARKERS) },
      { html: page(OTHERS), markers: reversed(OTHERS) },
    );
    expect(template?.fill(from(VALUES))).toEqual(templateOf(page)?.fill(from(VALUES)));
    expect(template?.count("email")).toBe(2);
  });

  it("is not filled in without one of its values", () => {
    const { nonce, ...others } = VALUES;
    expect(nonce).toBe("abc");
    expect(() => templateOf(page)?.fill(from(others))).toThrow("without its 'nonce'");
  });

  it.each<[string, (markers: Markers) => string]>([
    [
      "a value stands a varying number of times",
      (markers) => page(markers) + (markers === MARKERS ? markers.email : ""),
    ],
    [
      "a value stands once more in the second",
      (markers) => page(markers) + (markers === OTHERS ? markers.email : ""),
    ],
    [
      "a value's length shows",
      (markers) => page(markers) + markers.email.length * markers.user.charCodeAt(4),
    ],
    ["a part of a value stands alone", (markers) => page(markers) + markers.email.slice(-1)],
    [
      "values stand in another order",
      (markers) => page(markers) + (markers === MARKERS ? "user1picture1" : "picture2user2"),
    ],
    [
      "a marker of the other stand-in is left",
      (markers) => page(markers) + (markers === MARKERS ? OTHERS.email : markers.email),
    ],
    ["the text holds a character that is a marker", (markers) => `${page(markers)}\ue000`],
    ["no address is shown", ({ data }) => `<script>take(${data})</script>`],
    ["there are no data", ({ email }) => `<p>${email}</p>`],
    ["there are data twice", (markers) => page(markers) + markers.data],
    [
      "the pages differ in anything else",
      (markers) => page(markers) + (markers === MARKERS ? "." : "!"),
    ],
  ])("is refused if %s", (_, broken) => {
    expect(templateOf(page)).not.toBeNull();
    expect(templateOf(broken)).toBeNull();
  });
});

describe("a text in HTML", () => {
  it("is escaped as React does", () => {
    expect(escapeHtml(`<&>"'\u2028🌄`)).toBe("&lt;&amp;&gt;&quot;&#x27;\u2028🌄");
  });
});
