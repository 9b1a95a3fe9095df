import { type CSSProperties, Fragment, type ReactNode } from "react";
import { Column, Container, Head, Html, Row, Section, Text } from "react-email";
import { env } from "~/env.server";
import { currentSite } from "~/features/site/current-site.server";
import { legalPages, pagePath } from "~/features/site/page-site";
import { MailLink, MailSmallPrint, MailText } from "./mail-elements";
import {
  COLOR_SCHEME_CSS,
  CONTENT_MARGIN,
  colored,
  DARK_MODE_CSS,
  MAIL_WIDTH,
  NARROW_CSS,
  SANS_SERIF,
  SERIF,
  type,
} from "./mail-theme";

/** The facts that every mail to a list must include (RFC 8058; CAN-SPAM for the postal address). */
export type MailingList = {
  unsubscribeUrl: string;
  /** The sender's postal address on one line; null until the author has set one. */
  postalAddress: string | null;
};

/** A mail before rendering. Its parts are built from `mail-elements`. */
export type Mail = {
  subject: string;
  /** The text that an inbox shows after the subject: one sentence that does not repeat it. */
  preview: string;
  content: ReactNode;
  /** Follows the content; null for none. Defaults to the book's. */
  signature?: ReactNode;
  /** Small print: why the mail was sent, and what recipients who did not expect it should do. */
  notes: ReactNode;
  /** For mail to a list: the unsubscribe link and postal address. */
  list?: MailingList;
};

/**
 * The layout of all mail: masthead, content, signature and small print, as tables with inline styles and no remote
 * content. `renderMail` adds what mail clients need beyond that.
 */
export function MailLayout({ subject, preview, content, signature, notes, list }: Mail) {
  return (
    <Html lang="en">
      <Head>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        {/* Keeps iOS from turning dates, addresses and numbers into blue links. */}
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>{subject}</title>
        {/* Gmail drops a whole style element if it does not understand one rule. */}
        {[COLOR_SCHEME_CSS, NARROW_CSS, DARK_MODE_CSS].map((css) => (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant; React would escape its quotes
          <style key={css} dangerouslySetInnerHTML={{ __html: css }} />
        ))}
      </Head>
      <body
        {...colored(["canvas", "text"], { margin: 0, padding: 0, WebkitTextSizeAdjust: "100%" })}
      >
        <PreviewText>{preview}</PreviewText>
        {/* biome-ignore lint/a11y/useSemanticElements: mail programs drop an article element, and keep a role */}
        <div role="article" aria-roledescription="email" aria-label={subject} lang="en">
          {/* Clients that drop the body element keep a table's background. */}
          <Section {...colored(["canvas"], { padding: "32px 12px 40px" })} tdClassName="mail-frame">
            <Container
              {...colored(["sheet", "sheetEdge"], {
                maxWidth: MAIL_WIDTH,
                borderWidth: 1,
                borderStyle: "solid",
                borderRadius: 8,
                borderCollapse: "separate",
                padding: `36px ${CONTENT_MARGIN - 1}px 44px`,
                // inherited: a long address must not make the mail wider than a phone
                wordBreak: "break-word",
              })}
              tdClassName="mail-content"
            >
              <Masthead />
              {content}
              {signature !== null && (
                <MailText>{signature ?? `Yours, ${currentSite().title}`}</MailText>
              )}
              <Section
                {...colored(["rule"], {
                  marginTop: 30,
                  padding: "20px 0 0",
                  borderWidth: "1px 0 0",
                  borderStyle: "solid",
                })}
              >
                {notes}
                <Imprint list={list} />
              </Section>
            </Container>
          </Section>
        </div>
      </body>
    </Html>
  );
}

/** Maximum characters that an inbox shows beside a subject. */
const PREVIEW_LENGTH = 150;

/** Preview text, shown only by inboxes. Padded with blanks to keep the mail's first words out of that line. */
function PreviewText({ children }: { children: string }) {
  const blanks = "\u200c\u00a0".repeat(Math.max(0, PREVIEW_LENGTH - children.length));
  const outlook = { msoHide: "all" } as CSSProperties;
  return (
    <div data-skip-in-text="true" style={{ display: "none", ...outlook }}>
      {children}
      {blanks}
    </div>
  );
}

/** The book's title above a line that starts in gold. */
function Masthead() {
  const thin = { fontSize: 1, lineHeight: "4px", height: 4, borderStyle: "solid" } as const;
  return (
    <>
      <Text
        data-skip-in-text="true"
        {...colored(["text"], {
          ...type(SERIF, 20, 28),
          margin: "0 0 14px",
          letterSpacing: "0.01em",
        })}
      >
        {currentSite().title}
      </Text>
      <Row data-skip-in-text="true" style={{ marginBottom: 36 }}>
        <Column {...colored(["path"], { ...thin, width: 56, borderWidth: "0 0 3px" })}>
          {"\u00a0"}
        </Column>
        <Column {...colored(["rule"], { ...thin, borderWidth: "0 0 1px" })}>{"\u00a0"}</Column>
      </Row>
    </>
  );
}

/** The sender and, for a list, the unsubscribe link and postal address. */
function Imprint({ list }: { list?: MailingList }) {
  const { title, author, pages } = currentSite();
  return (
    <>
      {list && (
        <MailSmallPrint>
          <MailLink href={list.unsubscribeUrl}>Unsubscribe</MailLink>
        </MailSmallPrint>
      )}
      <Text {...colored(["softText"], { ...type(SANS_SERIF, 13, 20), margin: "18px 0 0" })}>
        {[title, author].filter(Boolean).join(", by ")}
        {list?.postalAddress && (
          <>
            <br />
            {list.postalAddress}
          </>
        )}
        {legalPages(pages).map((page) => (
          <Fragment key={page.slug}>
            <br />
            <MailLink href={env().PUBLIC_URL + pagePath(page.slug)}>{page.title}</MailLink>
          </Fragment>
        ))}
      </Text>
    </>
  );
}
