import { Link } from "@remix-run/react";
import type { MouseEvent, RefObject } from "react";
import { Button } from "~/ui";
import { keepChoice, keptChoice } from "./kept-choice";
import type { ListedText } from "./library-overview-data";
import { CHAPTERS_PATH } from "./library-paths";
import type { ReadingDocument } from "./load-reading.server";
import { ReadMark } from "./read-mark";
import { SearchField } from "./search-field";
import { KEYS_CHOICE } from "./use-reading-keys";

/** The id of what has the focus when the panel opens. */
export type PanelPart = "panel-contents" | "panel-search" | "panel-keys";

/** Opens the panel at one of its parts. Closed, it gives the focus back. */
export function openPanel(panel: RefObject<HTMLDialogElement>, part: PanelPart): void {
  panel.current?.showModal();
  document.getElementById(part)?.focus();
}

type ReadingPanelProps = {
  panel: RefObject<HTMLDialogElement>;
  document: ReadingDocument;
  chapters: ListedText[];
};

/** The search, the contents and the keys, over a text's page. Without JavaScript the bar links to their pages. */
export function ReadingPanel({ panel, document, chapters }: ReadingPanelProps) {
  const { slug, path, dir } = document;
  const [back, on] = dir === "rtl" ? ["→", "←"] : ["←", "→"];
  const closeOnLink = ({ target, currentTarget }: MouseEvent<HTMLDialogElement>) => {
    if (target === currentTarget || (target as Element).closest("a")) currentTarget.close();
  };
  return (
    <dialog
      ref={panel}
      className="reading-panel"
      aria-label="Search, contents and keys"
      onClick={closeOnLink}
      // a search field would only clear itself
      onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.close()}
    >
      <div className="grid gap-8 p-[clamp(1rem,4vw,2rem)]">
        <form method="dialog" className="justify-self-end">
          <Button type="submit" variant="quiet">
            Close
          </Button>
        </form>
        <SearchField key={slug} id="panel-search" here={path} />
        <nav aria-labelledby="panel-contents">
          <h2 id="panel-contents" tabIndex={-1} className="text-xl">
            Contents
          </h2>
          <ol className="my-3">
            {chapters.map(({ path: to, label, title, progress }) => (
              <li key={to}>
                <Link
                  to={to}
                  aria-current={to.startsWith(`${path}#`) || to === path ? "page" : undefined}
                  className="reading-panel-link"
                >
                  <span>
                    <span className="block text-ink-soft text-sm">{label}</span>
                    {title}
                  </span>
                  <span className="text-ink-soft text-sm">
                    <ReadMark progress={progress} />
                  </span>
                </Link>
              </li>
            ))}
          </ol>
          <Link to={CHAPTERS_PATH} className="text-link">
            All chapters and extras
          </Link>
        </nav>
        <section aria-labelledby="panel-keys">
          <h2 id="panel-keys" tabIndex={-1} className="text-xl">
            Keys
          </h2>
          <dl className="reading-keys">
            <Key name={on}>Next text, from the end of this one</Key>
            <Key name={back}>Previous text, from the beginning of this one</Key>
            <Key name="/">Search</Key>
            <Key name="n">Next match of a search</Key>
            <Key name="p">Previous match</Key>
            <Key name="h">Highlight the selection, or choose sentences</Key>
            <Key name="?">These keys</Key>
          </dl>
          <label className="flex min-h-11 items-center gap-3">
            <input
              ref={(box) => {
                if (box) box.checked = keptChoice(KEYS_CHOICE) !== "off";
              }}
              type="checkbox"
              onChange={({ target }) => keepChoice(KEYS_CHOICE, target.checked ? "on" : "off")}
            />
            Use the keys / n p h ?
          </label>
        </section>
      </div>
    </dialog>
  );
}

function Key({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>
        <kbd>{name}</kbd>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
