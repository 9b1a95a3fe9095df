import { createContext, useContext } from "react";

/** The CSP nonce of the page's inline scripts; only set while rendering on the server. */
export const NonceContext = createContext<string | undefined>(undefined);

/** The nonce for an inline script of this page; undefined in the browser and on cached pages. */
export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
