import { eq, sql } from "drizzle-orm";
import { type Executor, getDatabase } from "../client";
import { profiles, type User, users } from "../schema";

/** The user with an address, whatever its case; null if nobody has it. */
export async function findUserByEmail(
  email: string,
  executor: Executor = getDatabase().db,
): Promise<User | null> {
  const [user] = await executor
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()))
    .limit(1);
  return user ?? null;
}

/** Inserts a user with an empty profile; null, and nothing written, if the address is taken. */
export async function insertUser(
  user: { email: string; passwordHash: string },
  executor: Executor = getDatabase().db,
): Promise<User | null> {
  return executor.transaction(async (tx) => {
    const [inserted] = await tx.insert(users).values(user).onConflictDoNothing().returning();
    if (!inserted) return null;
    await tx.insert(profiles).values({ id: inserted.id });
    return inserted;
  });
}

export async function updatePasswordHash(
  userId: string,
  passwordHash: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor
    .update(users)
    .set({ passwordHash, updatedAt: new Date() })
    .where(eq(users.id, userId));
}

/** Removes a user with all that hangs on it: sessions, profile, password reset. */
export async function deleteUser(
  userId: string,
  executor: Executor = getDatabase().db,
): Promise<void> {
  await executor.delete(users).where(eq(users.id, userId));
}
