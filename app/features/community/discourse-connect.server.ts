import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { env } from "~/env.server";

// DiscourseConnect: https://meta.discourse.org/t/13045

/** Maximum length of a request in characters; many times that of a genuine one. */
const MAX_LENGTH = 2_000;

/** A login request from Discourse. */
export type ConnectRequest = {
  /** Limits the response to one login. */
  nonce: string;
  /** Where to send the response, on the Discourse of `COMMUNITY_URL`. */
  returnUrl: string;
};

/** A user as Discourse gets to know them. */
export type CommunityMember = { id: string; email: string };

/** Returns whether there is a community. */
export function hasCommunity(): boolean {
  return env().COMMUNITY !== null;
}

/** Returns the community's origin as a list, for policies. */
export function communityOrigins(): string[] {
  const { COMMUNITY } = env();
  return COMMUNITY ? [COMMUNITY.origin] : [];
}

/** Returns the URL at which the community logs its visitor in; null without a community. */
export function communityEntrance(): string | null {
  const { COMMUNITY } = env();
  return COMMUNITY && `${COMMUNITY.origin}/session/sso?return_path=%2F`;
}

/**
 * Parses a login request from Discourse. Returns null unless it is signed with the shared secret and its return URL
 * is on the community's origin.
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

/** Returns the URL that sends Discourse a member's identity and adds them to the members' group. */
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
 * Returns a user's signed identity, as parameters `sso` and `sig`. With a nonce it responds to a login; without one,
 * Discourse's API uses it to update the user.
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
    // Discourse merges accounts by address; the site has not verified it, so Discourse must
    require_activation: "true",
  });
  const sso = Buffer.from(payload.toString(), "utf8").toString("base64");
  return new URLSearchParams({ sso, sig: signatureOf(sso, COMMUNITY.secret) });
}

/**
 * Returns a user's identity at Discourse. The username applies to new accounts only, and users can change it. Without
 * it, Discourse would derive a public one from the email address.
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
