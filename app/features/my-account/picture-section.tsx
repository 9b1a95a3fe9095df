import { useId } from "react";
import { Button } from "~/ui";
import { AccountSection } from "./account-section";
import { PICTURE_TYPES } from "./avatar/picture-rules";

const ACTION = "/account/picture";

/** The account's picture, also shown in the header, or its initial; with forms to set and remove it. */
export function PictureSection({ email, picture }: { email: string; picture: string | null }) {
  const id = useId();
  return (
    <AccountSection id="picture" title="Picture">
      {picture ? (
        <img
          className="account-picture"
          src={picture}
          alt="This is yours."
          width={128}
          height={128}
        />
      ) : (
        <span className="account-picture" aria-hidden="true">
          {email.charAt(0).toUpperCase()}
        </span>
      )}
      <form method="post" action={ACTION} encType="multipart/form-data" className="account-form">
        <input type="hidden" name="intent" value="upload" />
        <div>
          <label htmlFor={id} className="field-label">
            {picture ? "New picture" : "Choose a picture"}
          </label>
          <input
            id={id}
            type="file"
            name="picture"
            accept={PICTURE_TYPES}
            required
            aria-describedby={`${id}-hint`}
            className="field-input"
          />
          <p id={`${id}-hint`} className="field-hint">
            PNG, JPEG, WebP or AVIF, at most 5 MB. It is cropped to a square, and nothing else in
            the file is kept, such as where it was taken.
          </p>
        </div>
        <Button type="submit" variant="secondary">
          Save picture
        </Button>
      </form>
      {picture && (
        <form method="post" action={ACTION}>
          <input type="hidden" name="intent" value="remove" />
          <Button type="submit" variant="secondary">
            Remove picture
          </Button>
        </form>
      )}
    </AccountSection>
  );
}
