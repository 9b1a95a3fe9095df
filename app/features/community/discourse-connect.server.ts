import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { env } from "~/env.server";

// DiscourseConnect: https://meta.discourse.org/t/13045

/** Many times the length of a genuine request. */
const MAX_LENGTH = 2_000;

/** A login request from Discourse. */
export type ConnectRequest = {
  /** Makes the answer valid for one login. */
  nonce: string;
  /** Where the answer goes, on the Discourse of `COMMUNITY_URL`. */
  returnUrl: string;
};

/** Whom Discourse is told about. */
export type CommunityMember = { id: string; email: string };

/** Whether there is a community at all. */
export function hasCommunity(): boolean {
  return env().COMMUNITY !== null;
}

/** The community's origin, as a list for policies. */
export function communityOrigins(): string[] {
  const { COMMUNITY } = env();
  return COMMUNITY ? [COMMUNITY.origin] : [];
}

/** The address at which the community logs its visitor in by itself; null while there is none. */
export function communityEntrance(): string | null {
  const { COMMUNITY } = env();
  return COMMUNITY && `${COMMUNITY.origin}/session/sso?return_path=%2F`;
}

/**
 * Reads a request of Discourse's; null unless the shared secret has signed it, and it wants the answer sent to the
 * community itself.
 */
export function readConnectRequest(sso: string | null, sig: string | null): ConnectRequest | null {
  const { COMMUNITY } = env();
  if (!COMMUNITY || !sso || !sig || sso.length > MAX_LENGTH) return null;
  if (!isSignature(sig, signatureOf(sso, COMMUNITY.secret))) return null;
  const payload = new URLSearchParams(Buffer.from(sso, "base64").toString("utf8"));
  const nonce = payload.get("nonce");
  const returnUrl = payload.get("return_sso_url");
  if (!nonce || !returnUrl || !URL.canParse(returnUrl)) return null;
  return new URL(returnUrl).origin === COMMUNITY.origin ? { nonce, returnUrl } : null;
}

/** The address that tells Discourse who a member is, and that they belong to the group of members. */
export function connectAnswer(
  { nonce, returnUrl }: ConnectRequest,
  member: CommunityMember,
): string {
  const url = new URL(returnUrl);
  for (const [name, value] of signedPayload(member, { nonce, isMember: true })) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

/**
 * A signed statement about somebody, as parameters `sso` and `sig`. With a nonce it answers a login; without one it is
 * what Discourse's API takes to update somebody.
 */
export function signedPayload(
  member: CommunityMember,
  { nonce, isMember }: { nonce?: string; isMember: boolean },
): URLSearchParams {
  const { COMMUNITY } = env();
  if (!COMMUNITY) throw new Error("There is no community.");
  const payload = new URLSearchParams({
    ...identityOf(member),
    ...(nonce === undefined ? {} : { nonce }),
    [isMember ? "add_groups" : "remove_groups"]: COMMUNITY.group,
    // the site has not verified the address, so Discourse does: it merges accounts by address
    require_activation: "true",
  });
  const sso = Buffer.from(payload.toString(), "utf8").toString("base64");
  return new URLSearchParams({ sso, sig: signatureOf(sso, COMMUNITY.secret) });
}

/**
 * How Discourse knows somebody. The name is for new accounts only, and theirs to change: Discourse would otherwise
 * take one from the email address, and show it to everybody.
 */
function identityOf({ id, email }: CommunityMember) {
  const digits = createHash("sha256").update(`community ${id}`).digest("hex").slice(0, 8);
  return { external_id: id, email, username: `reader_${digits}` };
}

function signatureOf(sso: string, secret: string): string {
  return createHmac("sha256", secret).update(sso).digest("hex");
}

function isSignature(candidate: string, signature: string): boolean {
  const [one, other] = [Buffer.from(candidate), Buffer.from(signature)];
  return one.length === other.length && timingSafeEqual(one, other);
}
