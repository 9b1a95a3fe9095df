import { spawn } from "node:child_process";
import { once } from "node:events";
import { userInfo } from "node:os";

/** A private network for a test, isolated from the machine's, in which processes can use any address. */
export type NetworkNamespace = {
  /** The command prefix that runs a program in the namespace. */
  enter: [string, ...string[]];
  /** Ends the namespace once the last process in it has ended. */
  close(): void;
};

/** Configures its namespace, prints 'made', and runs until stdin is closed, at the latest when this process ends. */
const HOLD = 'printf %s "$1" | ip -batch - && echo made && exec cat';

/**
 * Creates a network namespace whose loopback has these addresses. It ends with this process, even if that is killed. If
 * this machine does not allow one, returns the reason, for the names of skipped tests.
 */
export async function openNetworkNamespace(
  addresses: string[],
): Promise<{ namespace: NetworkNamespace } | { reason: string }> {
  if (process.platform !== "linux") return { reason: "only Linux has network namespaces" };
  const isRoot = userInfo().uid === 0;
  // an ordinary user may configure a network in a user namespace, if the system allows one
  const asUser = isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  const batch = ["link set lo up", ...addresses.map((address) => `address add ${address} dev lo`)];
  const holder = spawn("unshare", [...asUser, "--net", "sh", "-c", HOLD, "sh", batch.join("\n")]);
  let complaint = "";
  holder.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const reason = await Promise.race([
    once(holder.stdout, "data").then(() => null),
    once(holder, "close").then(
      () => complaint.trim().split("\n")[0] || "unshare failed",
      ({ message }: Error) => message,
    ),
  ]);
  if (reason !== null) return { reason: `no network namespace could be made: ${reason}` };
  const target = ["--target", String(holder.pid), "--net"];
  return {
    namespace: {
      enter: ["nsenter", ...target, ...(isRoot ? [] : ["--user", "--preserve-credentials"]), "--"],
      close: () => void holder.stdin.end(),
    },
  };
}
