/** One thing `stripe setup` looked after, and what it did about it. */
export type SetupStep = { what: string; id: string; outcome: "created" | "found" | "updated" };
