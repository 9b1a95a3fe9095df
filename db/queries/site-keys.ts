import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { siteKeys } from "../schema";

/** The site's key of this name, 32 random bytes that are generated once and never change. */
export async function ensureSiteKey(
  name: string,
  executor: Executor = getDatabase().db,
): Promise<Buffer> {
  const find = () => executor.select().from(siteKeys).where(eq(siteKeys.name, name));
  const [known] = await find();
  if (known) return known.value;
  await executor
    .insert(siteKeys)
    .values({ name, value: randomBytes(32) })
    .onConflictDoNothing();
  // another process may have been faster
  const [made] = await find();
  if (!made) throw new Error(`There is no site key '${name}'.`);
  return made.value;
}
