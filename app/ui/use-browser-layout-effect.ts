import { useEffect, useLayoutEffect } from "react";

/** `useLayoutEffect`, about which React warns on the server, where no effect runs anyway. */
export const useBrowserLayoutEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;
