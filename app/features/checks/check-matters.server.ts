import { randomUUID } from "node:crypto";
import { databaseErrorCode } from "~db/database-errors";
import { readHealthFacts } from "~db/queries/operator-facts";
import { findOpenMatters } from "~db/queries/operator-matters";
import { type Finding, warning } from "./answer";
import { type MatterReading, matterOf, readMatters } from "./matters.server";

/** PostgreSQL's code for a table that is not there. */
const UNDEFINED_TABLE = "42P01";

/** What the running site tells the operator by mail and `doctor` does not ask about itself, in the same words. */
export async function checkMatters(): Promise<Finding[]> {
  return (await readAll()).flatMap(({ kind, state, facts }) => {
    const matter = matterOf(kind);
    if (state !== "bad" || !matter?.shownIn) return [];
    const { area, what } = matter.shownIn;
    const { wrong, todo } = matter.words(facts);
    return [{ area, ...warning(what, wrong.replace(/\.$/, ""), todo) }];
  });
}

async function readAll(): Promise<MatterReading[]> {
  try {
    // this program has not been started at any place
    const facts = await readHealthFacts({ place: "", startId: randomUUID() });
    return readMatters(facts, await findOpenMatters(), "", new Date());
  } catch (error) {
    // a database of an earlier release, which its own check reports
    if (databaseErrorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
