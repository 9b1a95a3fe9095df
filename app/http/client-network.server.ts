import ipaddr from "ipaddr.js";

/**
 * The networks a client's address belongs to, as keys to count by. An IPv4 address counts by itself and by
 * its /24. A single IPv6 customer is assigned a /64, or a /48 on request (RFC 6177), so a single IPv6 address
 * identifies nobody. Text that is not an address, such as "unknown", is its own network.
 */
export type ClientNetworks = {
  /** One household or machine: an IPv4 address, an IPv6 /64. */
  narrow: string;
  /** What one customer can obtain: an IPv4 /24, an IPv6 /48. */
  wide: string;
};

/** Never throws; the same address gives the same keys however it is written. */
export function clientNetworks(address = "unknown"): ClientNetworks {
  if (!ipaddr.isValid(address)) return { narrow: address, wide: address };
  // undoes the IPv4-mapped form of dual-stack sockets
  const bytes = ipaddr.process(address).toByteArray();
  return bytes.length === 4
    ? { narrow: bytes.join("."), wide: `${bytes.slice(0, 3).join(".")}.0/24` }
    : { narrow: prefix(bytes, 64), wide: prefix(bytes, 48) };
}

function prefix(bytes: number[], bits: number): string {
  const network = bytes.map((byte, index) => (index * 8 < bits ? byte : 0));
  return `${ipaddr.fromByteArray(network)}/${bits}`;
}
