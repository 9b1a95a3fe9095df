import { expect, it } from "vitest";
import type { AccountView } from "./account-view.server";
import { accountOwnValues } from "./own-values";

const at = (day: number) => new Date(Date.UTC(2027, 0, day)).toISOString();

it("are a picture, the ids of sessions and the days of all, and nothing that their owner could choose", () => {
  const view: AccountView = {
    email: { isConfirmed: true, waiting: "none", isVerifiedByPasskey: false },
    newsletter: "none",
    picture: "/avatars/1.webp",
    // an authenticator in software can take the name of a state for its id
    passkeys: [{ id: "none", name: "subscribed", createdAt: at(1), lastUsedAt: null }],
    sessions: [
      {
        id: "0b0c",
        browser: "none",
        system: "none",
        firstSeen: at(2),
        lastSeen: at(3),
        isThis: true,
      },
    ],
  };
  expect(accountOwnValues(view)).toEqual({
    texts: ["/avatars/1.webp", "0b0c"],
    instants: [at(1), null, at(2), at(3)],
  });
});
