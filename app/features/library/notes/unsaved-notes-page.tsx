import { Button, EmailField, PasswordField } from "~/ui";
import { NOTES_PATH } from "../library-paths";
import type { UnsavedNotes } from "./unsaved-notes";

/** Response to notes that could not be stored: the text, and a form that retries, after signing in if needed. */
export function UnsavedNotesPage({ slug, owner, version, text, message, signInAs }: UnsavedNotes) {
  const needsSignIn = signInAs !== null;
  return (
    <section className="frame outcome-page">
      <div className="notes-page">
        <h1 className="page-heading">Your notes aren’t saved yet</h1>
        <p className="lead">{message}</p>
        <form method="post" action={NOTES_PATH} className="mt-8 grid gap-6">
          <input type="hidden" name="slug" value={slug} />
          <input type="hidden" name="owner" value={owner} />
          <input type="hidden" name="version" value={version} />
          {needsSignIn && (
            <>
              <EmailField label="Email" autoComplete="username" defaultValue={signInAs} />
              <PasswordField
                label="Password"
                name="password"
                autoComplete="current-password"
                required
              />
            </>
          )}
          <div>
            <Button type="submit">{needsSignIn ? "Log in and save" : "Save notes"}</Button>
          </div>
          <div>
            <label htmlFor="notes-text" className="notes-label">
              Your notes
            </label>
            <textarea
              id="notes-text"
              name="text"
              className="notes-text"
              // notes may be in a right-to-left language
              dir="auto"
              defaultValue={text}
              autoComplete="off"
            />
          </div>
        </form>
      </div>
    </section>
  );
}
