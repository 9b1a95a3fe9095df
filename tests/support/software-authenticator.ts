import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** Flags of authenticator data (WebAuthn, 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;

/** A self-signed certificate that nothing trusts, and its key, for these tests only. */
const ATTESTATION_CERTIFICATE = Buffer.from(
  "MIIBkDCCATWgAwIBAgIUXOgjvYQkQA1h3Smwfh8FiHmUEAcwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRQSBrZXkgb2Ygbm8gd29ydGgwIBcNMjYxMTIzMDYzOTM1WhgPMjEyNjEwMzAwNjM5MzVaMBwxGjAYBgNVBAMMEUEga2V5IG9mIG5vIHdvcnRoMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEBjnQiMQ5UfVQtHwBSBiJ2OVlxwnGgDcIvR22c/PjbvzDGHB41M7ZEaFoR8DeQ+n6A4yV7UpYhpMCVpwJro3Q3qNTMFEwHQYDVR0OBBYEFFHXzgMoq5Qol+Gn1GiiY1M7sumSMB8GA1UdIwQYMBaAFFHXzgMoq5Qol+Gn1GiiY1M7sumSMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPxZS7oWlwkM16J7DwzOVSP5JUhhcEZNGAdjogIAauGcAiEAsXysTZEM+uN2IimcvDdAUBhxojlOI07y7i4X7cwlmeU=",
  "base64",
);
const ATTESTATION_KEY = createPrivateKey({
  key: Buffer.from(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1OmwZyr8vOrP9+iGFxQuJ0bxXIR+9C7r7NoVY7Va6tChRANCAAQGOdCIxDlR9VC0fAFIGInY5WXHCcaANwi9HbZz8+Nu/MMYcHjUztkRoWhHwN5D6foDjJXtSliGkwJWnAmujdDe",
    "base64",
  ),
  format: "der",
  type: "pkcs8",
});

/** Values that differ from those of an honest browser and authenticator. */
export type Forgery = {
  origin?: string;
  challenge?: string;
  type?: string;
  rpId?: string;
  /** Whether the authenticator has verified its user. */
  isUserVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** Attestation of a registration, none by default: by a certificate (FIDO U2F), or by the passkey itself. */
  attestation?: "by-certificate" | "by-itself";
};

/**
 * An authenticator and its browser in software, with one ES256 passkey. It answers as an honest pair does, unless a
 * test has it forge something; then it signs the forgery.
 */
export class SoftwareAuthenticator {
  readonly #id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  readonly #hasCounter: boolean;
  #counter = 0;
  #userHandle = "";

  constructor(origin: string, { hasCounter = true } = {}) {
    this.#origin = origin;
    this.#hasCounter = hasCounter;
  }

  /** The credential's id in base64url. */
  get id(): string {
    return this.#id.toString("base64url");
  }

  create(
    { challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON,
    forgery: Forgery = {},
  ): RegistrationResponseJSON {
    this.#userHandle = user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const credential = Buffer.concat([
      Buffer.alloc(16),
      length,
      this.#id,
      coseKey(this.#keys.publicKey),
    ]);
    const authData = this.#data(rp.id ?? "", CREDENTIAL_INCLUDED, credential, forgery);
    const clientDataJSON = this.#clientData("webauthn.create", challenge, forgery);
    const { fmt, attStmt } = this.#attestation(
      authData,
      sha256(Buffer.from(clientDataJSON, "base64url")),
      forgery,
    );
    const attestation = new Map<string, unknown>([
      ["fmt", fmt],
      ["attStmt", attStmt],
      ["authData", new Uint8Array(authData)],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  get(
    { challenge, rpId }: PublicKeyCredentialRequestOptionsJSON,
    forgery: Forgery = {},
  ): AuthenticationResponseJSON {
    const authData = this.#data(rpId ?? "", 0, Buffer.alloc(0), forgery);
    const clientDataJSON = this.#clientData("webauthn.get", challenge, forgery);
    const hash = sha256(Buffer.from(clientDataJSON, "base64url"));
    const signature = sign("sha256", Buffer.concat([authData, hash]), this.#keys.privateKey);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: forgery.userHandle ?? this.#userHandle,
      },
    };
  }

  /** A genuine statement of the requested kind (WebAuthn, 8.2, 8.6 and 8.7). */
  #attestation(authData: Buffer, clientDataHash: Buffer, { attestation }: Forgery) {
    const attStmt = new Map<string, unknown>();
    if (!attestation) return { fmt: "none", attStmt };
    if (attestation === "by-itself") {
      const signed = Buffer.concat([authData, clientDataHash]);
      attStmt.set("alg", -7);
      attStmt.set("sig", new Uint8Array(sign("sha256", signed, this.#keys.privateKey)));
      return { fmt: "packed", attStmt };
    }
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const signed = Buffer.concat([
      Buffer.from([0]),
      authData.subarray(0, 32),
      clientDataHash,
      this.#id,
      Buffer.from([4]),
      Buffer.from(x, "base64url"),
      Buffer.from(y, "base64url"),
    ]);
    attStmt.set("sig", new Uint8Array(sign("sha256", signed, ATTESTATION_KEY)));
    attStmt.set("x5c", [new Uint8Array(ATTESTATION_CERTIFICATE)]);
    return { fmt: "fido-u2f", attStmt };
  }

  #clientData(type: string, challenge: string, forgery: Forgery): string {
    const data = {
      type: forgery.type ?? type,
      challenge: forgery.challenge ?? challenge,
      origin: forgery.origin ?? this.#origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify(data)).toString("base64url");
  }

  #data(rpId: string, flags: number, credential: Buffer, forgery: Forgery): Buffer {
    if (this.#hasCounter) this.#counter += 1;
    const verified = forgery.isUserVerified === false ? 0 : USER_VERIFIED;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(forgery.counter ?? this.#counter);
    return Buffer.concat([
      sha256(forgery.rpId ?? rpId),
      Buffer.from([flags | USER_PRESENT | verified]),
      counter,
      credential,
    ]);
  }
}

/** An EC2 key as COSE has it (RFC 9053, 7.1.1). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const key = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, "base64url"))],
    [-3, new Uint8Array(Buffer.from(y, "base64url"))],
  ]);
  return Buffer.from(isoCBOR.encode(key as never));
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}
