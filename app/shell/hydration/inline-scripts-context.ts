import { createContext } from "react";

/** The texts of a page's inline scripts; `setUp` and `modules` are what Remix would have written. */
export type InlineScripts = {
  /** Sets up Remix's context, and hands the page's data over. */
  data(setUp: string): string;
  /** Imports the page's modules after the first paint; `preloads` are the addresses of all of them. */
  start(modules: string, preloads: readonly string[]): string;
  /** Stores scroll positions from the start. */
  scrollPosition: string;
};

/** Only set while rendering on the server: in the browser they have run, so it need not load their texts. */
export const InlineScriptsContext = createContext<InlineScripts | undefined>(undefined);
