import { eq } from "drizzle-orm";
import { getDatabase } from "~db/client";
import { users } from "~db/schema";

/** Removes a user by hand, as an operator may; nothing on the site does it. */
export async function deleteUser(userId: string): Promise<void> {
  await getDatabase().db.delete(users).where(eq(users.id, userId));
}
