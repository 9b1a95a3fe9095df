/** One object that `stripe setup` ensured, and what it did to it. */
export type SetupStep = { what: string; id: string; outcome: "created" | "found" | "updated" };
