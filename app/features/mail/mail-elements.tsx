import type { ReactNode } from "react";
import { Button, Heading, Img, Link, Section, Text } from "react-email";
import {
  BODY_TYPE,
  CONTENT_MARGIN,
  colored,
  MAIL_WIDTH,
  SANS_SERIF,
  SERIF,
  TABLE_TYPE,
  type,
} from "./mail-theme";

/** A mail's heading, once per mail and first in its content. */
export function MailHeading({ children }: { children: ReactNode }) {
  return (
    <Heading
      as="h1"
      {...colored(["text"], {
        ...type(SERIF, 29, 36),
        margin: "0 0 20px",
        fontWeight: "normal",
        letterSpacing: "-0.01em",
      })}
    >
      {children}
    </Heading>
  );
}

/** A paragraph. */
export function MailText({ children }: { children: ReactNode }) {
  return <Text {...colored(["text"], { ...BODY_TYPE, margin: "0 0 18px" })}>{children}</Text>;
}

/**
 * A link in running text. The plain part shows its label in place and its URL on its own line below the paragraph.
 */
export function MailLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      {...colored(["link"], { textDecorationLine: undefined, textDecoration: "underline" })}
    >
      {children}
    </Link>
  );
}

/** The mail's call to action; at most one per mail. */
export function MailButton({ href, children }: { href: string; children: string }) {
  return (
    <Section style={{ padding: "10px 0 28px" }}>
      <Button
        href={href}
        {...colored(["button", "buttonText"], {
          padding: "15px 28px",
          borderRadius: 4,
          fontFamily: SANS_SERIF,
          fontSize: 16,
          fontWeight: "bold",
        })}
      >
        {children}
      </Button>
    </Section>
  );
}

/** A table of labeled values, such as a price and a date. */
export function MailFacts({ facts }: { facts: readonly { name: string; value: string }[] }) {
  const cell = { padding: "9px 0", borderWidth: "1px 0 0", borderStyle: "solid" } as const;
  const row = { ...TABLE_TYPE, textAlign: "left" } as const;
  return (
    <Section style={{ padding: "6px 0 18px" }}>
      <table width="100%" cellPadding="0" cellSpacing="0">
        <tbody>
          {facts.map(({ name, value }) => (
            <tr key={name}>
              <th
                scope="row"
                {...colored(["softText", "rule"], {
                  ...cell,
                  ...row,
                  width: "38%",
                  fontWeight: "normal",
                })}
              >
                {name}
              </th>
              <td {...colored(["text", "rule"], { ...cell, ...row })}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** The width of a mail's text in pixels, in a window that is wide enough. */
const TEXT_WIDTH = MAIL_WIDTH - 2 * CONTENT_MARGIN;

/** An author's image in a paragraph; size in pixels. Shrinks with the window, and in Outlook to the text width. */
export function MailImage({ src, alt, width, height }: MailImageProps) {
  const shown = Math.min(width, TEXT_WIDTH);
  return (
    <Img
      src={src}
      alt={alt}
      width={shown}
      height={Math.round((height * shown) / width)}
      {...colored(["softText"], {
        ...BODY_TYPE,
        outline: undefined,
        display: "block",
        width: "100%",
        maxWidth: shown,
        height: "auto",
      })}
    />
  );
}

type MailImageProps = { src: string; alt: string; width: number; height: number };

/** A line of small print below a mail. */
export function MailSmallPrint({ children }: { children: ReactNode }) {
  return (
    <Text {...colored(["softText"], { ...type(SANS_SERIF, 14, 22), margin: "0 0 10px" })}>
      {children}
    </Text>
  );
}

/** The button's URL in full, for clients that show no buttons. The plain part already has it. */
export function MailButtonAddress({ href }: { href: string }) {
  return (
    <MailSmallPrint>
      <span data-skip-in-text="true">
        If the button doesn’t work, open this address:
        <br />
        <MailLink href={href}>{href}</MailLink>
      </span>
    </MailSmallPrint>
  );
}
