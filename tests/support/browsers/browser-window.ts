/**
 * The least common denominator of all browser drivers, whatever their protocol: what a test needs that runs
 * in several browsers. Pages are read by functions evaluated in them, which works even with the page's own
 * JavaScript disabled, and operated by mouse and keyboard only.
 */
export interface BrowserWindow {
  /** Opens an address as if it had been typed, and waits until it is loaded. */
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  /** Runs a function in the page, which can use nothing but its argument, a value of JSON, and the page. */
  evaluate<Argument, Result>(
    look: (argument: Argument) => Result,
    argument: Argument,
  ): Promise<Awaited<Result>>;
  /** Clicks a point of the window, in CSS pixels from its upper left corner. */
  clickAt(x: number, y: number): Promise<void>;
  /** Types into what has the focus. */
  type(text: string): Promise<void>;
  /** Turns the mouse's wheel over the middle of the window, by CSS pixels downwards. */
  wheel(distance: number): Promise<void>;
  /** Every uncaught error of the window's pages so far, where the driver can tell. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

export type WindowOptions = {
  javaScript: boolean;
  /** In CSS pixels. */
  size?: { width: number; height: number };
};

export const WINDOW_SIZE = { width: 1280, height: 800 };
