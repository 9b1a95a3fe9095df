import { createContext, useContext } from "react";

/** The site's public address, which the root of the page provides. */
export const PublicUrlContext = createContext("");

/** In print only (styles/print.css): the URL that a button on the screen leads to. */
export function PrintedAddress({ path = "" }: { path?: string }) {
  const publicUrl = useContext(PublicUrlContext);
  return (
    <p className="printed-address">
      {publicUrl.replace(/^https?:\/\//, "")}
      {path}
    </p>
  );
}
