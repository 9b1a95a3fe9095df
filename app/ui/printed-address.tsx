import { createContext, useContext } from "react";

/** The site's public address, which the root of the page provides. */
export const PublicUrlContext = createContext("");

/** On paper only (styles/print.css): where to find on the web what a button leads to on the screen. */
export function PrintedAddress({ path = "" }: { path?: string }) {
  const publicUrl = useContext(PublicUrlContext);
  return (
    <p className="printed-address">
      {publicUrl.replace(/^https?:\/\//, "")}
      {path}
    </p>
  );
}
