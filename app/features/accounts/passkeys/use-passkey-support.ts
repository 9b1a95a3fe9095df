import { useHydrated } from "~/ui";

/** Returns whether this browser supports passkeys; false on the server and until hydration. */
export function usePasskeySupport(): boolean {
  return useHydrated() && "PublicKeyCredential" in window;
}
