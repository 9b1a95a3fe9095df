// Forked by posts.mjs: verifies a password as often as it can, which is the most that log-ins could do.
import argon2 from "argon2";
import { rateWindow } from "./rate-window.mjs";

process.once("message", async (message) => {
  const { hash, password, parallel, seconds, margin, asTheSite } =
    /** @type {{ hash: string, password: string, parallel: number, seconds: number, margin: number, asTheSite: boolean }} */ (
      message
    );
  // as the site teaches malloc (app/features/accounts/hash-memory.server.ts)
  if (asTheSite) await argon2.hash("", { memoryCost: 31 * 1_024, timeCost: 1, parallelism: 1 });
  const end = performance.now() + seconds * 1_000;
  const inside = rateWindow(seconds, margin);
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() < end) {
        if (!(await argon2.verify(hash, password))) throw new Error("This is not the password.");
        inside.count();
      }
    }),
  );
  process.send?.({ rate: inside.rate() });
  process.disconnect();
});
