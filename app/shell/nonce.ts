import { createContext, useContext } from "react";

/** What the page's policy calls its own inline scripts; known while the server renders, and only then. */
export const NonceContext = createContext<string | undefined>(undefined);

/** The nonce for an inline script of this page; undefined in the browser and on cached pages. */
export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
