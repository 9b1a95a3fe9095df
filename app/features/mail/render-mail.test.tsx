import { describe, expect, it } from "vitest";
import {
  MailButton,
  MailButtonAddress,
  MailHeading,
  MailLink,
  MailSmallPrint,
  MailText,
} from "./mail-elements";
import { MAIL_PROSE } from "./mail-prose";
import { type Mail, renderMail } from "./render-mail";

const HOSTILE = "https://example.com/?a=1&b=\"><script>alert('x')</script>";

const mail: Mail = {
  subject: "Fish & <chips>",
  preview: 'What "they" eat',
  content: (
    <>
      <MailHeading>Fish & {"<chips>"}</MailHeading>
      <MailText>You asked for ‘it’.</MailText>
      <MailButton href={HOSTILE}>{"Go <on>"}</MailButton>
    </>
  ),
  notes: <MailSmallPrint>It lasts {"<b>"}an hour.</MailSmallPrint>,
};

const textOf = async (parts: Partial<Mail>) => (await renderMail({ ...mail, ...parts })).text;

describe("a mail's HTML", () => {
  it("escapes all its content", async () => {
    const { html } = await renderMail(mail);
    expect(html).not.toMatch(/<script|<chips|<on>|<b>/);
    expect(html).toContain("<title>Fish &amp; &lt;chips&gt;</title>");
    expect(html).toContain('href="https://example.com/?a=1&amp;b=&quot;&gt;&lt;script&gt;');
  });

  it("is a standards-mode document that starts with the preview", async () => {
    const { html } = await renderMail(mail);
    expect(html).toMatch(/^<!doctype html><html /);
    const body = html.slice(html.indexOf("<body"));
    expect(body.replace(/<[^>]*>/g, "")).toMatch(
      /^What &quot;they&quot; eat[\u200c\u00a0]*The Golden Path/,
    );
  });
});

describe("a mail's plain text", () => {
  it("has the same words in the same order, and ends with a line break", async () => {
    expect(await textOf({})).toBe(
      [
        "Fish & <chips>",
        "You asked for 'it'.",
        `Go <on>:\n${HOSTILE}`,
        "Yours, The Golden Path",
        "It lasts <b>an hour.",
        "The Golden Path, by Maren Ashdown\n",
      ].join("\n\n"),
    );
  });

  it("shows a link's address below the list, quotation or table that holds it", async () => {
    const { ul: Ul, li: Li, a: A, blockquote: Quote, p: P, table: Table, td: Td } = MAIL_PROSE;
    const content = (
      <>
        <Ul>
          <Li>
            <A href="https://a.example/1">One</A>
          </Li>
        </Ul>
        <Quote>
          <P>
            Says <A href="https://a.example/2">somebody</A>
          </P>
        </Quote>
        <Table>
          <tbody>
            <tr>
              <Td>
                In <A href="https://a.example/3">a cell</A>
              </Td>
            </tr>
          </tbody>
        </Table>
      </>
    );
    expect(await textOf({ content })).toMatch(
      /\* One\n\nOne:\nhttps:\/\/a\.example\/1\n\n> Says somebody\n\nSomebody:\nhttps:\/\/a\.example\/2\n\nIn a cell\n\nA cell:\nhttps:\/\/a\.example\/3\n/,
    );
  });

  it("shows each address once, however often the mail links to it", async () => {
    const href = "https://a.example/1";
    const text = await textOf({
      content: (
        <>
          <MailText>
            See <MailLink href={href}>here</MailLink> or <MailLink href={href}>there</MailLink>.
          </MailText>
          <MailButton href="https://a.example/2">Go</MailButton>
        </>
      ),
      notes: <MailButtonAddress href="https://a.example/2" />,
    });
    expect(text.split(href)).toHaveLength(2);
    expect(text.split("https://a.example/2")).toHaveLength(2);
  });
});

describe("mail to a list", () => {
  const list = { unsubscribeUrl: "https://a.example/leave", postalAddress: "1 Lane, Town" };

  it("includes the unsubscribe link and the sender's postal address", async () => {
    const { html, text } = await renderMail({ ...mail, list });
    expect(text).toMatch(
      "Unsubscribe:\nhttps://a.example/leave\n\nThe Golden Path, by Maren Ashdown\n1 Lane, Town\n",
    );
    expect(html).toContain('href="https://a.example/leave"');
  });
});

it("is signed as the author chooses, or not at all", async () => {
  expect(await textOf({ signature: "Maren" })).toContain("\n\nMaren\n\n");
  expect(await textOf({ signature: null })).not.toContain("Yours");
});
