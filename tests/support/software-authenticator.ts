import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
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

/** What an answer says, and where it says something else than an honest browser and authenticator would. */
export type Forgery = {
  origin?: string;
  challenge?: string;
  type?: string;
  rpId?: string;
  /** Whether the authenticator has verified its user. */
  isUserVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** Of a registration, in place of "none" and an empty statement. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> };
};

/**
 * An authenticator and its browser in software, with one ES256 passkey. It answers as an honest pair does, unless
 * told to forge something; then it signs the forgery.
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
    const { fmt = "none", attStmt = new Map() } = forgery.attestation ?? {};
    const authData = this.#data(rp.id ?? "", CREDENTIAL_INCLUDED, credential, forgery);
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
        clientDataJSON: this.#clientData("webauthn.create", challenge, forgery),
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
