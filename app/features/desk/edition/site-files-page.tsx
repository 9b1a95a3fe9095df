import { Form } from "@remix-run/react";
import type { FormRefusal } from "~/http/form-refusal";
import { TextField } from "~/ui";
import {
  DeskButton,
  DeskHeading,
  DeskProblems,
  DeskSection,
  DeskSubmit,
  HiddenFields,
} from "../desk-parts";
import { FileLinks } from "./book-page";
import { FILES_PATH, SITE_FILE_NAME } from "./edition-paths";
import { FolderNotices } from "./folder-notices";
import type { Listed } from "./list-texts.server";
import { UploadForm } from "./media-page";

type SiteFilesPageProps = {
  listed: Listed & { files: string[] };
  refusal: FormRefusal | null;
};

/** The words and pictures of the site, and its pages. */
export function SiteFilesPage({ listed, refusal }: SiteFilesPageProps) {
  const { files, drafts } = listed;
  const all = [...new Set([...files, ...drafts.map(({ path }) => path)])].sort();
  const pages = all.filter((path) => path !== SITE_FILE_NAME);
  const unsaved = drafts.map(({ path }) => path);
  return (
    <>
      <DeskHeading title="Site" />
      <DeskProblems refusal={refusal} />
      <FolderNotices listed={listed} />
      <DeskSection title="Title, price, words and pictures">
        {all.includes(SITE_FILE_NAME) ? (
          <FileLinks paths={[SITE_FILE_NAME]} unsaved={unsaved} />
        ) : (
          <>
            <p className="mb-4">
              There is no <code>site.yml</code>, so the site has the sample’s words beside your
              texts.
            </p>
            <DeskButton fields={{ intent: "site" }}>Begin one from what is shown now</DeskButton>
          </>
        )}
      </DeskSection>
      <DeskSection title="Pages">
        {pages.length > 0 && <FileLinks paths={pages} unsaved={unsaved} />}
        <Form method="post" className="desk-actions mt-4">
          <HiddenFields fields={{ intent: "page" }} />
          <TextField label="Name, such as privacy, imprint or terms" name="name" required />
          <DeskSubmit>Begin a page</DeskSubmit>
        </Form>
      </DeskSection>
      <DeskSection title="Cover and photographs">
        <UploadForm />
        <p className="desk-hint mt-4">
          <a href={FILES_PATH}>All pictures</a>. Name yours in <code>site.yml</code>, such as{" "}
          <code>{"author: { file: media/author.jpg, alt: What can be seen. }"}</code> below{" "}
          <code>photos</code>.
        </p>
      </DeskSection>
    </>
  );
}
