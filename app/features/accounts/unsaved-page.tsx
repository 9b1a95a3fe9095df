import { UNSAVED_PATH } from "~/http/unsaved-path";
import { Button, EmailField, PasswordField } from "~/ui";
import { LOG_IN_AS, type UnsavedForm } from "./unsaved-form";

const TEXT_LABELS: Record<string, string> = {
  text: "Your notes",
  note: "Your note",
  body: "Your text",
  content: "Your text",
};

/** The page with what was typed into a form that could not be saved, which posts it again, after signing in if needed. */
export function UnsavedPage({ to, heading, fields, message, signInAs, confirmAt }: UnsavedForm) {
  const needsSignIn = signInAs !== null;
  const label = needsSignIn ? "Log in and save" : "Save";
  return (
    <section className="frame outcome-page">
      <h1 className="page-heading">{heading}</h1>
      {message && <p className="lead">{message}</p>}
      {confirmAt && (
        <p className="mt-4">
          <a href={confirmAt} target="_blank" rel="noreferrer" className="text-link">
            Confirm it in a new tab
          </a>
        </p>
      )}
      <form
        method="post"
        action={needsSignIn ? `${UNSAVED_PATH}?to=${encodeURIComponent(to)}` : to}
        className="mt-8 grid max-w-[40rem] gap-6"
      >
        {needsSignIn && (
          <>
            <EmailField
              name={LOG_IN_AS}
              label="Email"
              autoComplete="username"
              defaultValue={signInAs}
            />
            <PasswordField
              label="Password"
              name="password"
              autoComplete="current-password"
              required
            />
          </>
        )}
        <div>
          <Button type="submit">{label}</Button>
        </div>
        {fields.map(([name, value]) =>
          name === "email" ? (
            <EmailField key={name} label="New email" autoComplete="email" defaultValue={value} />
          ) : name in TEXT_LABELS ? (
            <div key={name}>
              <label htmlFor={name} className="field-label">
                {TEXT_LABELS[name]}
              </label>
              <textarea
                id={name}
                name={name}
                className="field-input"
                rows={10}
                // it may be in a right-to-left language
                dir="auto"
                defaultValue={value}
                autoComplete="off"
              />
            </div>
          ) : (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ),
        )}
      </form>
    </section>
  );
}
