import { StaticSection } from "~/ui/static-section";

type DocumentTextProps = {
  /** Identifies the text. */
  textKey: string;
  /** Sanitised HTML; undefined in a browser that hydrates a page which holds it already. */
  html: string | undefined;
};

/** The text of a chapter or extra, which a page holds once. */
export function DocumentText({ textKey, html }: DocumentTextProps) {
  return (
    <StaticSection
      id="text"
      markupKey={textKey}
      html={html}
      className="book-text markdown-text reading-text"
    />
  );
}
