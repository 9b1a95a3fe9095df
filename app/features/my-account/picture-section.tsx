import { useEffect, useId, useRef, useState } from "react";
import { Button } from "~/ui";
import { AccountSection } from "./account-section";
import { PICTURE_TYPES } from "./avatar/picture-rules";

const ACTION = "/account/picture";

/**
 * The account's picture, also shown in the header, or its initial; with forms to set and remove it. With JavaScript, a
 * chosen file is shown as it will be cropped.
 */
export function PictureSection({ email, picture }: { email: string; picture: string | null }) {
  const id = useId();
  const { input, canvas, isShown, show } = useCroppedPicture();
  return (
    <AccountSection id="picture" title="Picture">
      <canvas
        ref={canvas}
        className="account-picture"
        hidden={!isShown}
        role="img"
        aria-label="Your new picture, not saved yet"
        width={256}
        height={256}
      />
      {isShown ? null : picture ? (
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
            ref={input}
            id={id}
            onChange={show}
            type="file"
            name="picture"
            accept={PICTURE_TYPES}
            required
            aria-describedby={`${id}-hint`}
            className="field-input"
          />
          <p id={`${id}-hint`} className="field-hint">
            PNG, JPEG, WebP or AVIF, at most 5 MB. We crop it to a square and remove hidden details
            such as its location.
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

/** Draws the file chosen in `input` on `canvas`, cropped as the server crops it: the square in its middle. */
function useCroppedPicture() {
  const input = useRef<HTMLInputElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isShown, setShown] = useState(false);

  const show = async () => {
    const file = input.current?.files?.[0];
    // a file that this browser cannot read may be one that the server can
    const image = file ? await createImageBitmap(file).catch(() => null) : null;
    const { width = 0, height = 0 } = image ?? {};
    const side = Math.min(width, height);
    const [left, top] = [(width - side) / 2, (height - side) / 2];
    const context = canvas.current?.getContext("2d");
    context?.clearRect(0, 0, 256, 256);
    if (image) context?.drawImage(image, left, top, side, side, 0, 0, 256, 256);
    setShown(image !== null);
  };

  // it may have been chosen before hydration
  // biome-ignore lint/correctness/useExhaustiveDependencies: once.
  useEffect(() => void show(), []);
  return { input, canvas, isShown, show };
}
