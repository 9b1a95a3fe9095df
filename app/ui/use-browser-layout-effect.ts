import { useEffect, useLayoutEffect } from "react";

/** `useLayoutEffect` without React's warning on the server, where effects do not run anyway. */
export const useBrowserLayoutEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;
