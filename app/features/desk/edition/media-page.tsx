import type { FormRefusal } from "~/http/form-refusal";
import {
  CheckField,
  DeskButton,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  DeskTable,
} from "../desk-parts";
import type { ListedMedia } from "./book-media.server";
import { BOOK_PATH, FILES_PATH, UPLOAD_LIMIT } from "./edition-paths";

const MB = 1024 * 1024;

type MediaPageProps = { media: ListedMedia[]; refusal: FormRefusal | null };

/** The folder's pictures and sounds: what uses each, and how to bring another. */
export function MediaPage({ media, refusal }: MediaPageProps) {
  return (
    <>
      <DeskHeading title="Pictures and sounds">
        <a href={BOOK_PATH}>All texts</a>
      </DeskHeading>
      <DeskProblems refusal={refusal} />
      <UploadForm />
      <DeskSection title="In the folder">
        <DeskTable
          caption="Pictures and sounds"
          columns={["File", "Size", "Used by", "Delete"]}
          empty="There is none yet."
          rows={media.map(({ path, bytes, problem, usedBy }) => ({
            key: path,
            cells: [
              path,
              bytes === null ? "" : sizeOf(bytes),
              problem ?? (usedBy.join(", ") || "Nothing"),
              usedBy.length === 0 && (
                <DeskButton action={FILES_PATH} fields={{ intent: "delete", path }} variant="quiet">
                  Delete<span className="sr-only"> {path}</span>
                </DeskButton>
              ),
            ],
          }))}
        />
        <p className="desk-hint mt-4">
          A chapter shows a picture with <code>![What it shows](../media/name.jpg)</code>.
        </p>
      </DeskSection>
    </>
  );
}

/** The form that uploads a picture or sound to the folder. */
export function UploadForm() {
  return (
    <form method="post" action={FILES_PATH} encType="multipart/form-data" className="desk-form">
      <div>
        <label htmlFor="upload" className="field-label">
          Upload a picture or sound
        </label>
        <input
          id="upload"
          type="file"
          name="file"
          accept=".png,.jpg,.jpeg,.gif,.webp,.avif,.mp3,.m4a"
          required
          className="field-input"
        />
        <p className="desk-hint">
          Pictures up to 2 MB and 4,096 pixels. MP3 or M4A up to {UPLOAD_LIMIT / MB} MB; put a
          larger sound, up to 500 MB, into the folder itself.
        </p>
      </div>
      <CheckField label="Replace a file of the same name" name="replaces" value="yes" />
      <DeskSubmit>Upload</DeskSubmit>
    </form>
  );
}

const sizeOf = (bytes: number) =>
  bytes < MB ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / MB).toFixed(1)} MB`;
