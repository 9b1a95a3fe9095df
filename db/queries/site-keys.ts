import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { db } from "../client";
import { siteKeys } from "../schema";

/** The site's key of this name, 32 random bytes that are generated once and never change. */
export async function ensureSiteKey(name: string): Promise<Buffer> {
  const find = () => db().select().from(siteKeys).where(eq(siteKeys.name, name));
  const [known] = await find();
  if (known) return known.value;
  await db()
    .insert(siteKeys)
    .values({ name, value: randomBytes(32) })
    .onConflictDoNothing();
  // another process may have been faster
  const [made] = await find();
  if (!made) throw new Error(`There is no site key '${name}'.`);
  return made.value;
}

/** Sets the site's key of this name, and returns the one before; null if there was none. */
export async function replaceSiteKey(name: string, value: Buffer): Promise<Buffer | null> {
  return db().transaction(async (tx) => {
    const [known] = await tx.select().from(siteKeys).where(eq(siteKeys.name, name)).for("update");
    await tx
      .insert(siteKeys)
      .values({ name, value })
      .onConflictDoUpdate({ target: siteKeys.name, set: { value } });
    return known?.value ?? null;
  });
}
