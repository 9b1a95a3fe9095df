import { useHydrated } from "~/ui";

/** Whether this browser knows passkeys: false on the server and until the page is hydrated. */
export function usePasskeySupport(): boolean {
  return useHydrated() && "PublicKeyCredential" in window;
}
