import { useRootData } from "~/features/accounts/use-root-data";

/** On paper only (styles/print.css): where to find on the web what a button leads to on the screen. */
export function PrintedAddress({ path = "" }: { path?: string }) {
  const { publicUrl } = useRootData();
  return (
    <p className="printed-address">
      {publicUrl.replace(/^https?:\/\//, "")}
      {path}
    </p>
  );
}
