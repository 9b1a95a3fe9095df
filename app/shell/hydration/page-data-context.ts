import { createContext } from "react";

/** The data of the page's routes as turbo-stream writes it; known while the server renders, and only then. */
export const PageDataContext = createContext<string | undefined>(undefined);
