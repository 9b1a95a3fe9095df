import { describe, expect, it } from "vitest";
import { clientNetworks } from "./client-network.server";

describe("the networks of a client", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7", "192.0.2.0/24"],
    ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0/24"],
    ["::FFFF:c000:0207", "192.0.2.7", "192.0.2.0/24"],
    ["2001:db8:5:6::1", "2001:db8:5:6::/64", "2001:db8:5::/48"],
    ["fe80::1%eth0", "fe80::/64", "fe80::/48"],
    ["::1", "::/64", "::/48"],
  ])("of %s are %s and %s", (address, narrow, wide) => {
    expect(clientNetworks(address)).toEqual({ narrow, wide });
  });

  it.each(["unknown", "", "1.2.3.4.5", "localhost"])(
    "of '%s', which is not an address, are the text itself",
    (text) => {
      expect(clientNetworks(text)).toEqual({ narrow: text, wide: text });
    },
  );
});
