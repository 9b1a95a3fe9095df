/** An object that `stripe setup` ensured, and what it did. */
export type SetupStep = {
  what: string;
  id: string;
  outcome: "created" | "found" | "updated" | "archived";
};
