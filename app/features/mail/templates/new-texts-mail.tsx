import { currentSite } from "~/features/site/current-site.server";
import { composeMail } from "../compose-mail";
import { MailLink } from "../mail-elements";
import type { MailingList } from "../mail-layout";
import type { Mail } from "../render-mail";

/** A text in the mail about new ones. */
type NewText = {
  kind: "chapter" | "extra";
  /** What is above its title, if anything. */
  label: string | null;
  title: string;
  summary: string;
  language: string;
  dir: "ltr" | "rtl";
  url: string;
};

/** Tells a member who wished it of texts that were published, at least one. */
export function newTextsMail({ texts, list }: { texts: NewText[]; list: MailingList }): Mail {
  const [first] = texts;
  const { title } = currentSite();
  const isOne = texts.length === 1;
  const what = texts.some(({ kind }) => kind === "chapter") ? "chapter" : "extra";
  const heading = isOne ? `A new ${what} is out` : `${texts.length} new texts are out`;
  return composeMail({
    subject:
      isOne && first ? `New in ${title}: ${first.title}` : `New in ${title}: ${texts.length} texts`,
    preview: isOne ? (first?.summary ?? "") : texts.map((text) => text.title).join(", "),
    heading,
    text: texts.map(({ label, title, summary, language, dir, url }) => (
      <span key={url} lang={language} dir={dir}>
        {label && `${label}: `}
        {isOne ? title : <MailLink href={url}>{title}</MailLink>}
        <br />
        {summary}
      </span>
    )),
    ...(isOne && first && { button: { label: "Read it", href: first.url } }),
    notes: ["You’re getting this email because you asked to hear about new chapters."],
    list,
  });
}
