import { Children, type ComponentProps, createContext, useContext } from "react";
import { MailImage, MailLink, MailText } from "./mail-elements";
import {
  BODY_TYPE,
  colored,
  MONOSPACE,
  NARROWEST_TEXT,
  SERIF,
  TABLE_TYPE,
  type,
} from "./mail-theme";

/** A heading below the mail's own. Levels below `h2` look alike. */
function Subheading(Tag: "h2" | "h3" | "h4" | "h5" | "h6") {
  const [size, line] = Tag === "h2" ? [23, 30] : [19, 28];
  return ({ children }: ComponentProps<"h2">) => (
    <Tag
      {...colored(["text"], {
        ...type(SERIF, size, line),
        margin: "34px 0 14px",
        fontWeight: "normal",
      })}
    >
      {children}
    </Tag>
  );
}

/** Whether a list is nested in another list's item. */
const InList = createContext(false);

function List({ as: Tag, children, start }: ComponentProps<"ol"> & { as: "ul" | "ol" }) {
  const isInList = useContext(InList);
  return (
    <Tag
      start={Tag === "ol" ? start : undefined}
      {...colored(["text"], {
        ...BODY_TYPE,
        margin: isInList ? "8px 0 0" : "0 0 18px",
        padding: "0 0 0 26px",
      })}
    >
      <InList.Provider value={true}>{children}</InList.Provider>
    </Tag>
  );
}

/** The number of cells in the row. */
const Columns = createContext(1);

/** Padding on each side of a cell, in pixels. */
const CELL_PADDING = 8;

/** Minimum width that keeps short words whole beside long texts, in pixels. */
const SHORT_WORD = 72;

function Cell({ as: Tag, children, align }: ComponentProps<"td"> & { as: "th" | "td" }) {
  const fairShare = Math.floor(NARROWEST_TEXT / useContext(Columns));
  return (
    <Tag
      {...colored(["text", "rule"], {
        ...TABLE_TYPE,
        minWidth: Math.min(SHORT_WORD, fairShare - 2 * CELL_PADDING),
        padding: CELL_PADDING,
        borderWidth: "0 0 1px",
        borderStyle: "solid",
        textAlign: align === "char" ? undefined : (align ?? "left"),
        verticalAlign: "top",
        fontWeight: Tag === "th" ? "bold" : "normal",
      })}
    >
      {children}
    </Tag>
  );
}

/** The mail styles of an author's Markdown elements, by HTML name. */
export const MAIL_PROSE = {
  p: ({ children }: ComponentProps<"p">) => <MailText>{children}</MailText>,
  h2: Subheading("h2"),
  h3: Subheading("h3"),
  h4: Subheading("h4"),
  h5: Subheading("h5"),
  h6: Subheading("h6"),
  ul: ({ children }: ComponentProps<"ul">) => <List as="ul">{children}</List>,
  ol: (props: ComponentProps<"ol">) => <List as="ol" {...props} />,
  li: ({ children }: ComponentProps<"li">) => <li style={{ margin: "0 0 8px" }}>{children}</li>,
  blockquote: ({ children }: ComponentProps<"blockquote">) => (
    <blockquote
      {...colored(["path"], {
        margin: "0 0 18px",
        padding: "0 0 0 20px",
        borderWidth: "0 0 0 3px",
        borderStyle: "solid",
        fontStyle: "italic",
      })}
    >
      {children}
    </blockquote>
  ),
  a: ({ href = "", children }: ComponentProps<"a">) => <MailLink href={href}>{children}</MailLink>,
  img: ({ src = "", alt = "", width = 0, height = 0 }: ComponentProps<"img">) => (
    <MailImage src={src} alt={alt} width={Number(width)} height={Number(height)} />
  ),
  hr: () => (
    <hr
      {...colored(["rule"], {
        margin: "34px 0",
        borderWidth: "1px 0 0",
        borderStyle: "solid",
      })}
    />
  ),
  pre: ({ children }: ComponentProps<"pre">) => (
    <pre
      {...colored(["text", "canvas"], {
        ...type(MONOSPACE, 14, 22),
        margin: "0 0 18px",
        padding: "14px 16px",
        whiteSpace: "pre-wrap",
      })}
    >
      {children}
    </pre>
  ),
  code: ({ children }: ComponentProps<"code">) => (
    <code style={{ fontFamily: MONOSPACE, fontSize: "0.9em" }}>{children}</code>
  ),
  table: ({ children }: ComponentProps<"table">) => (
    <table width="100%" cellPadding="0" cellSpacing="0" style={{ margin: "0 0 18px" }}>
      {children}
    </table>
  ),
  tr: ({ children }: ComponentProps<"tr">) => (
    <Columns.Provider value={Children.toArray(children).length}>
      <tr>{children}</tr>
    </Columns.Provider>
  ),
  th: (props: ComponentProps<"th">) => <Cell as="th" {...props} />,
  td: (props: ComponentProps<"td">) => <Cell as="td" {...props} />,
} as const;
