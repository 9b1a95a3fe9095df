import { useLocation, useRouteLoaderData } from "@remix-run/react";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import * as toasts from "~/toast-messages";
import { postJson, useToast } from "~/ui";
import {
  changeReadingSettings,
  READING_SETTINGS,
  READING_SETTINGS_ID,
  READING_SETTINGS_PATH,
  type ReadingSetting,
  type ReadingSettings,
  settingAttributes,
  toReadingSettings,
} from "./reading-settings";

/**
 * The reading settings, behind a button. Each choice is a submit button, which looks as the text will. Browsers with
 * JavaScript apply it at once; others return to the same place on the page.
 */
export function ReadingSettingsForm() {
  const { pathname, search } = useLocation();
  const [current, setCurrent] = useState(useReadingSettings());
  const details = useRef<HTMLDetailsElement>(null);
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const toast = useToast();
  useClosing(details);

  const choose = (event: FormEvent) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    const choice = { [submitter.name]: submitter.value };
    const changed = changeReadingSettings(current, choice);
    if (!changed) return;
    setCurrent(changed);
    apply(changed);
    // one after another, since each answer's cookie has all settings
    saving.current = saving.current.then(async () => {
      const { ok } = await postJson(READING_SETTINGS_PATH, choice, true);
      if (!ok) toast(toasts.readingSettingsFailed);
    });
  };

  return (
    <details ref={details} className="reading-settings">
      <summary className="reading-control">
        <span aria-hidden="true" className="reading-control-aa">
          Aa
        </span>
        <span className="sr-only">Reading settings</span>
      </summary>
      <form
        id={READING_SETTINGS_ID}
        method="post"
        action={READING_SETTINGS_PATH}
        className="reading-settings-panel"
        onSubmit={choose}
      >
        <input
          type="hidden"
          name="redirectTo"
          value={`${pathname}${search}#${READING_SETTINGS_ID}`}
        />
        {Object.entries<ReadingSetting>(READING_SETTINGS).map(([name, setting]) => (
          <fieldset key={name}>
            <legend className="reading-legend">{setting.label}</legend>
            <div className="reading-choices">
              {Object.entries(setting.choices).map(([value, label]) => (
                <button
                  key={value}
                  type="submit"
                  name={name}
                  value={value}
                  aria-pressed={value === current[name as keyof ReadingSettings]}
                  aria-label={setting.sample && label}
                  className="reading-choice"
                  {...settingAttributes({ [name]: value })}
                >
                  {setting.sample ?? label}
                </button>
              ))}
            </div>
          </fieldset>
        ))}
      </form>
    </details>
  );
}

/** Updates the document as the server will render it from now on (root.tsx). */
function apply(settings: ReadingSettings) {
  Object.assign(document.documentElement.dataset, settings);
  const { backgroundColor } = getComputedStyle(document.documentElement);
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    meta.content = backgroundColor;
  }
}

/** Closes an open `<details>` on Escape or a press outside. */
function useClosing(details: RefObject<HTMLDetailsElement>) {
  useEffect(() => {
    const close = () => {
      if (details.current) details.current.open = false;
    };
    const onPress = ({ target }: PointerEvent) => {
      if (!details.current?.contains(target as Node)) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape" || !details.current?.open) return;
      if (details.current.contains(document.activeElement))
        details.current.querySelector("summary")?.focus();
      close();
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onKey);
    };
  }, [details]);
}

/** Returns the settings from the root loader's data. */
function useReadingSettings(): ReadingSettings {
  const root = useRouteLoaderData("root") as { reading?: ReadingSettings | null } | undefined;
  return toReadingSettings(root?.reading);
}
