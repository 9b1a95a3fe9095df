import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser";
import type { ToastMessage } from "~/toast-messages";
import { type JsonAnswer, postJson } from "~/ui";

/** What to do with a passkey: the forms' `intent`. */
export type PasskeyIntent = "sign-in" | "verify" | "register";

/** How a ceremony ended. */
export type CeremonyOutcome =
  /** The site's response to the passkey or to the request for options. */
  | { kind: "answered"; answer: JsonAnswer }
  /** The visitor or the browser's dialog canceled; the browser does not say which. The toast comes from the site. */
  | { kind: "unused"; toast: ToastMessage }
  /** The browser or authenticator cannot do it; `message` is a sentence. */
  | { kind: "impossible"; message: string };

/** Requests a challenge from `path`, has the browser use or create a passkey, and sends the result. Never throws. */
export async function runCeremony(path: string, intent: PasskeyIntent): Promise<CeremonyOutcome> {
  const asked = await postJson(path, { intent: `${intent}-options` });
  if (!asked.ok || !asked.body.options) return { kind: "answered", answer: asked };
  let response: unknown;
  try {
    response =
      intent === "register"
        ? await startRegistration({
            optionsJSON: asked.body.options as PublicKeyCredentialCreationOptionsJSON,
          })
        : await startAuthentication({
            optionsJSON: asked.body.options as PublicKeyCredentialRequestOptionsJSON,
          });
  } catch (error) {
    return failureOf(error, asked.body.unused as ToastMessage);
  }
  const answer = await postJson(path, { intent, response: JSON.stringify(response) });
  return { kind: "answered", answer };
}

function failureOf(error: unknown, unused: ToastMessage): CeremonyOutcome {
  if (error instanceof WebAuthnError) {
    switch (error.code) {
      case "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED":
        return {
          kind: "impossible",
          message: "This device already has a passkey for your account.",
        };
      case "ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT":
      case "ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT":
        return { kind: "impossible", message: "This device can’t store passkeys." };
      case "ERROR_INVALID_DOMAIN":
      case "ERROR_INVALID_RP_ID":
        return { kind: "impossible", message: "Passkeys can’t be used at this address." };
      case "ERROR_CEREMONY_ABORTED":
        return { kind: "unused", toast: unused };
    }
  }
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "AbortError") return { kind: "unused", toast: unused };
  return { kind: "impossible", message: "Your browser couldn’t do this. Please try again." };
}
