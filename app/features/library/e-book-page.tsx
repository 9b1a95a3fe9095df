import { BOOK_PATH } from "./library-paths";

/** The download of the e-book, and how it gets onto a phone or an e-reader. */
export function EBookPage() {
  return (
    <div className="frame podcast-page">
      <header>
        <p className="eyebrow">E-book</p>
        <h1 className="page-heading">Read it on your e-reader</h1>
        <p className="lead">
          One EPUB file with every chapter and extra published so far. Download it again when a new
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
          The file has no copy protection, and its last page names you. Please keep it to yourself.
        </p>
      </section>
    </div>
  );
}

const DEVICES = [
  {
    name: "iPhone and iPad",
    steps: "Download it, open the file from your browser’s downloads, and choose Books.",
  },
  {
    name: "Android phone and tablet",
    steps: "Download it, and open the file with Play Books or another reading app.",
  },
  {
    name: "Kindle, from a phone or tablet",
    steps:
      "Download it, then share the file with the Kindle app. It reaches all your Kindles within minutes.",
  },
  {
    name: "Kindle, from a computer",
    steps: (
      <>
        Download it, then drop the file on{" "}
        <a href="https://www.amazon.com/sendtokindle" className="underline">
          Amazon’s Send to Kindle
        </a>
        . The limit is 200 MB. A cable won’t work, because Kindles only open EPUB files sent this
        way.
      </>
    ),
  },
  {
    name: "Kobo, Tolino, PocketBook and others",
    steps:
      "Connect the e-reader to a computer with its cable, copy the file onto it, and eject it. The book is then in its library.",
  },
  {
    name: "Computer",
    steps: "Open the file in Apple Books, Calibre or Thorium Reader. All three are free.",
  },
] as const;
