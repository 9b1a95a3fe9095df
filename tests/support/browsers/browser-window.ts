/**
 * A window for tests that run in several browsers, whatever the driver's protocol. Pages are read by functions
 * evaluated in them, which works even with the page's own JavaScript disabled, and operated by mouse and keyboard only.
 */
export interface BrowserWindow {
  /** Opens a URL as if it had been typed, and waits until it has loaded. */
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  /** Runs a function in the page; it may use only the page and its argument, a JSON value. */
  evaluate<Argument, Result>(
    pageFunction: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  /** Clicks a point of the window, in CSS pixels from its top left corner. */
  clickAt(x: number, y: number): Promise<void>;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  /** Scrolls down by mouse wheel over the middle of the window, in CSS pixels. */
  wheel(distance: number): Promise<void>;
  /** Every uncaught error of the window's pages so far, if the driver reports them. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

export type WindowOptions = {
  javaScript: boolean;
  /** In CSS pixels. */
  size?: { width: number; height: number };
  /** Whether the reader prefers reduced motion. */
  reducedMotion?: boolean;
};

export const WINDOW_SIZE = { width: 1280, height: 800 };
