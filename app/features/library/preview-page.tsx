import { Link } from "@remix-run/react";
import { initialClass } from "~/features/site/page-site";
import { ButtonLink } from "~/ui";
import type { PreviewView } from "./preview.server";
import { ReadingSettingsForm } from "./reading-settings-form";

type ShownText = Omit<PreviewView, "slug" | "summary" | "wordCount">;

type PreviewPageProps = { preview: ShownText; isForAuthor?: boolean };

/** A text that anyone may read, with a link to the rest of the book. To its author it offers no membership. */
export function PreviewPage({ preview, isForAuthor = false }: PreviewPageProps) {
  const { label, title, html, next, language, dir } = preview;
  return (
    <>
      <div className="reading-page">
        <div className="frame flex justify-end pt-3 print:hidden">
          <ReadingSettingsForm />
        </div>
        <article aria-labelledby="document-title">
          <div className="reading-sheet">
            <header className="reading-opening">
              {label && <p className="eyebrow">{label}</p>}
              <h1 id="document-title" className="page-heading" lang={language} dir={dir}>
                {title}
              </h1>
              <div className="path-ornament" />
            </header>
            <div className="reading-column">
              <div
                id="text"
                lang={language}
                dir={dir}
                className={`book-text markdown-text reading-text ${initialClass(preview)}`}
                // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized when the edition was imported.
                dangerouslySetInnerHTML={{ __html: html }}
              />
            </div>
          </div>
        </article>
      </div>
      {next ? <NextChapter {...next} /> : !isForAuthor && <MembershipOffer />}
    </>
  );
}

function NextChapter({ path, label, title }: NonNullable<PreviewView["next"]>) {
  return (
    <section aria-labelledby="next-chapter" className="bg-paper-deep py-[clamp(3rem,8vw,5rem)]">
      <div className="frame">
        <div className="reading-column">
          {label && <p className="eyebrow">{label}</p>}
          <h2 id="next-chapter" className="text-2xl">
            {title}
          </h2>
          <ButtonLink to={path} rel="next" className="mt-8">
            Read on
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}

function MembershipOffer() {
  return (
    <section aria-labelledby="whole-book" className="bg-paper-deep py-[clamp(3rem,8vw,5rem)]">
      <div className="frame">
        <div className="reading-column">
          <h2 id="whole-book" className="text-2xl">
            Read the rest of the book
          </h2>
          <p className="mt-3 mb-8 text-ink-soft">
            Members read the whole book in their browser, with room for notes on every chapter.
          </p>
          <p className="flex flex-wrap items-center gap-x-6 gap-y-3">
            <ButtonLink to="/#purchase">See the membership</ButtonLink>
            <Link to="/auth" className="text-link">
              Log in as a member
            </Link>
          </p>
        </div>
      </div>
    </section>
  );
}
