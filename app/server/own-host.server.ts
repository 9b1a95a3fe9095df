import { env } from "~/env.server";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/** What a Host header may consist of to be worth parsing. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{0,5})?$/i;

type OwnSite = {
  publicUrl: string;
  protocol: string;
  host: string;
  isLoopback: boolean;
  aliases: ReadonlySet<string>;
};

let own: OwnSite | undefined;

/** The site's address in the parts that requests are compared with. */
export function ownSite(): OwnSite {
  const { PUBLIC_URL, PUBLIC_ALIASES } = env();
  if (own?.publicUrl !== PUBLIC_URL || own.aliases !== PUBLIC_ALIASES) {
    const { protocol, host } = new URL(PUBLIC_URL);
    own = {
      publicUrl: PUBLIC_URL,
      protocol,
      host,
      isLoopback: LOOPBACK.test(host),
      aliases: PUBLIC_ALIASES,
    };
  }
  return own;
}

/** Whether a Host header names this site as PUBLIC_URL does. */
export function isOwnHost(host: string): boolean {
  const { host: ownHost, isLoopback } = ownSite();
  if (host === ownHost) return true;
  // a local machine has several loopback names
  if (isLoopback && LOOPBACK.test(host)) return true;
  // host names are case-insensitive and the default port may be omitted
  return parsed(host)?.host === ownHost;
}

/** Whether a Host header names this site by one of its aliases, on whatever port. */
export function isAlias(host: string): boolean {
  const name = parsed(host)?.hostname;
  return name !== undefined && ownSite().aliases.has(name);
}

function parsed(host: string): URL | null {
  const address = `${ownSite().protocol}//${host}`;
  return HOST.test(host) && URL.canParse(address) ? new URL(address) : null;
}
