/** Path of the page that keeps what was typed into a form that could not be saved; `to` is the form's own path. */
export const UNSAVED_PATH = "/auth/unsaved";
