import { BOOK_PATH } from "./library-paths";

/** The download of the e-book, and how it gets onto a phone or an e-reader. */
export function EBookPage() {
  return (
    <div className="frame podcast-page">
      <header>
        <p className="eyebrow">E-book</p>
        <h1 className="page-heading">Read it on your e-reader</h1>
        <p className="lead">
          One EPUB file with all chapters and extras published so far. Download it again when a new
          one is out.
        </p>
        {/* without `download`: after a membership ended, browsers would save the landing page as a book */}
        <p className="mt-8">
          <a href={BOOK_PATH} className="button button-primary">
            Download the e-book
          </a>
        </p>
      </header>
      <section aria-labelledby="devices">
        <h2 id="devices">How to open it</h2>
        <dl>
          {DEVICES.map(({ name, steps }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{steps}</dd>
            </div>
          ))}
        </dl>
        <p>
          The file names you on its last page and has no copy protection. Please keep it to
          yourself.
        </p>
      </section>
    </div>
  );
}

const DEVICES = [
  {
    name: "iPhone and iPad",
    steps: "Tap Download, open the file from the browser’s downloads, and choose Books.",
  },
  {
    name: "Android phone and tablet",
    steps: "Tap Download and open the file with Play Books or another reading app.",
  },
  {
    name: "Kindle, from a phone or tablet",
    steps:
      "Download the file, then share it with the Kindle app. It comes to all your Kindles within minutes.",
  },
  {
    name: "Kindle, from a computer",
    steps: (
      <>
        Download the file, then drop it on{" "}
        <a href="https://www.amazon.com/sendtokindle" className="underline">
          Amazon’s Send to Kindle
        </a>
        . Amazon takes up to 200 MB. A cable does not work: Kindles open EPUB only this way.
      </>
    ),
  },
  {
    name: "Kobo, Tolino, PocketBook and others",
    steps:
      "Connect the e-reader to a computer by its cable, copy the file onto it, and eject it. It is then in the library.",
  },
  {
    name: "Computer",
    steps: "Open the file in Apple Books, Calibre or Thorium Reader, which are free.",
  },
] as const;
