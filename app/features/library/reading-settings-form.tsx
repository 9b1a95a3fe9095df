import { useLocation, useRouteLoaderData } from "@remix-run/react";
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { postJson } from "~/ui";
import {
  changeReadingSettings,
  DEFAULT_READING_SETTINGS,
  READING_SETTINGS_ID,
  READING_SETTINGS_PATH,
  type ReadingSettings,
  type TextSize,
  type Theme,
} from "./reading-settings";

const SIZE_LABELS: Record<TextSize, string> = {
  1: "Small",
  2: "Medium",
  3: "Large",
  4: "Very large",
};
const THEME_LABELS: Record<Theme, string> = {
  paper: "Paper",
  night: "Night",
  device: "As the device",
};

/**
 * Text size and theme, behind a button. Each choice is a submit button. Browsers with JavaScript apply it at once;
 * others return to the same place on the page.
 */
export function ReadingSettingsForm() {
  const { pathname, search } = useLocation();
  const [current, setCurrent] = useState(useReadingSettings());
  const details = useRef<HTMLDetailsElement>(null);
  useClosing(details);

  const choose = (event: FormEvent) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    const changed = changeReadingSettings(current, { [submitter.name]: submitter.value });
    if (!changed) return;
    setCurrent(changed);
    apply(changed);
    void postJson(READING_SETTINGS_PATH, changed);
  };

  return (
    <details ref={details} className="reading-settings">
      <summary className="reading-control">
        <span aria-hidden="true" className="reading-control-aa">
          Aa
        </span>
        <span className="sr-only">Text size and theme</span>
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
        <Choices legend="Text size">
          {(Object.keys(SIZE_LABELS) as TextSize[]).map((size) => (
            <Choice key={size} name="size" value={size} chosen={current.size}>
              <span aria-hidden="true" className={`reading-size-${size}`}>
                A
              </span>
              <span className="sr-only">{SIZE_LABELS[size]}</span>
            </Choice>
          ))}
        </Choices>
        <Choices legend="Theme">
          {(Object.keys(THEME_LABELS) as Theme[]).map((theme) => (
            <Choice key={theme} name="theme" value={theme} chosen={current.theme}>
              {THEME_LABELS[theme]}
            </Choice>
          ))}
        </Choices>
      </form>
    </details>
  );
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="reading-legend">{legend}</legend>
      <div className="reading-choices">{children}</div>
    </fieldset>
  );
}

type ChoiceProps = { name: string; value: string; chosen: string; children: ReactNode };

function Choice({ name, value, chosen, children }: ChoiceProps) {
  return (
    <button
      type="submit"
      name={name}
      value={value}
      aria-pressed={value === chosen}
      className="reading-choice"
    >
      {children}
    </button>
  );
}

/** Updates the document as the server will render it from now on (root.tsx). */
function apply({ theme, size }: ReadingSettings) {
  const { dataset } = document.documentElement;
  dataset.theme = theme;
  dataset.textSize = size;
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

/** Returns the settings from the root loader's data, or the defaults. */
function useReadingSettings(): ReadingSettings {
  const root = useRouteLoaderData("root") as { reading?: ReadingSettings | null } | undefined;
  return root?.reading ?? DEFAULT_READING_SETTINGS;
}
