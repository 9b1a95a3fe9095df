import ipaddr from "ipaddr.js";

/**
 * The networks a client's address belongs to, smallest first, as keys to count by. An IPv4 address stands
 * for itself and for its /24. Of IPv6 a single customer is handed a /64 and, for the asking, a /48
 * (RFC 6177), so an address by itself says nothing. What is no address, such as "unknown", counts as one.
 */
export type ClientNetworks = {
  /** What one household or machine has: an IPv4 address, an IPv6 /64. */
  narrow: string;
  /** What one customer can get hold of: an IPv4 /24, an IPv6 /48. */
  wide: string;
};

/** Addresses whose networks are remembered: reading one costs as much as a good part of a cached answer. */
const REMEMBERED = 2_000;

const remembered = new Map<string, ClientNetworks>();

/** Never throws; the same address gives the same keys however it is written. */
export function clientNetworks(address = "unknown"): ClientNetworks {
  let networks = remembered.get(address);
  if (!networks) {
    networks = readNetworks(address);
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(address, networks);
  }
  return networks;
}

function readNetworks(address: string): ClientNetworks {
  if (!ipaddr.isValid(address)) return { narrow: address, wide: address };
  // an IPv4 address that a dual-stack socket writes as IPv6 becomes itself again
  const bytes = ipaddr.process(address).toByteArray();
  return bytes.length === 4
    ? { narrow: bytes.join("."), wide: `${bytes.slice(0, 3).join(".")}.0/24` }
    : { narrow: prefix(bytes, 64), wide: prefix(bytes, 48) };
}

function prefix(bytes: number[], bits: number): string {
  const network = bytes.map((byte, index) => (index * 8 < bits ? byte : 0));
  return `${ipaddr.fromByteArray(network)}/${bits}`;
}
