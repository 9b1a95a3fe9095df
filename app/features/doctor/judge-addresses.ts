import { isLoopbackHost } from "~/environment/host-names";
import { type AreaFinding, warning } from "./finding";

/** Whether a connection failed because this machine has no way to addresses of that family, which others may have. */
export function hasNoRoute(address: string, code: string): boolean {
  if (code === "ENETUNREACH" || code === "EADDRNOTAVAIL") return true;
  // of the hosts of one's own network that are down, only IPv4's are said to be so
  return code === "EHOSTUNREACH" && address.includes(":");
}

/** The finding for a public name that resolves to this machine itself, as by /etc/hosts, while visitors use DNS; else null. */
export function judgeAddresses(hostname: string, addresses: readonly string[]): AreaFinding | null {
  if (isLoopbackHost(hostname) || !addresses.every(isLoopback)) return null;
  return warning(
    "DNS",
    `${hostname} leads to this machine itself here (${addresses[0]}), as by /etc/hosts: its DNS record was not checked`,
    "Open the site from another network, or remove the name from /etc/hosts and run 'doctor' again.",
  );
}

const isLoopback = (address: string) => address === "::1" || address.startsWith("127.");
