import { createContext } from "react";

/** The page's loader data as serialized by turbo-stream; only set while rendering on the server. */
export const PageDataContext = createContext<string | undefined>(undefined);
