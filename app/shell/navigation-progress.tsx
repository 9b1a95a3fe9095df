import { useNavigation } from "@remix-run/react";

/** A golden line along the top edge while the next page loads; it appears after a short delay. */
export function NavigationProgress() {
  const { state } = useNavigation();
  return state === "idle" ? null : <div className="navigation-progress" aria-hidden="true" />;
}
