import { DeskButton } from "../desk-parts";
import { BOOK_PATH, editorPath, FILES_PATH } from "./edition-paths";
import type { Listed } from "./list-texts.server";

/** What an author has to know of the folder: that it cannot be written, that it is empty, and its mistakes. */
export function FolderNotices({ listed }: { listed: Listed }) {
  const { folder, hasEdition, unwritable, problems, notes } = listed;
  return (
    <>
      {unwritable && (
        <p className="desk-notice">
          {unwritable} The files are in {folder}. Drafts and previews work as ever.
        </p>
      )}
      {!hasEdition && (
        <div className="desk-notice">
          <p>
            The book’s folder {folder} is empty, so readers see the sample book. Start from the
            sample, begin with a chapter of your own below, or import a book that you have with{" "}
            <code>golden-path content import</code>.
          </p>
          {!unwritable && (
            <DeskButton action={BOOK_PATH} fields={{ intent: "copy-sample" }}>
              Start from the sample
            </DeskButton>
          )}
        </div>
      )}
      {problems.length > 0 && (
        <div className="desk-problems">
          <p>Readers keep the last version without mistakes until these are mended:</p>
          <ProblemList problems={problems} />
        </div>
      )}
      {notes.length > 0 && (
        <details className="desk-notice">
          <summary>Probably not meant: {notes.length}</summary>
          <ProblemList problems={notes} />
        </details>
      )}
    </>
  );
}

function ProblemList({ problems }: Pick<Listed, "problems">) {
  return (
    <ul>
      {problems.map(({ file, line, problem }) => (
        <li key={`${file} ${line} ${problem}`}>
          <a href={/\.(?:md|markdown|yml)$/i.test(file) ? editorPath(file) : FILES_PATH}>{file}</a>
          {line !== null && `, line ${line}`}: {problem}
        </li>
      ))}
    </ul>
  );
}
