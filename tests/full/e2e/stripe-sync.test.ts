import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { siteForThisFile } from "../../support/e2e-site";
import { runProgram } from "../../support/program";

const site = siteForThisFile();

const sync = (...options: string[]) =>
  runProgram({ command: ["stripe", "sync", ...options], variables: site.variables });

/** A member with their own browser, and where `/premium` takes them. */
async function newMember() {
  const page = await site.visit();
  const member = await site.subscribe(page.context());
  const whereTheyLand = async () => {
    await page.goto("/premium");
    return new URL(page.url()).pathname;
  };
  expect(await whereTheyLand()).toBe("/premium");
  return { ...member, whereTheyLand };
}

/** Leaves the rows as a backup from before the payments would. */
const restoreBackup = () =>
  site.database.db.execute(
    sql`update profiles set stripe_customer_id = null, stripe_price_id = null,
        stripe_current_period_end = null, stripe_subscription_id = null, sync_number = 0`,
  );

describe("stripe sync", () => {
  it("--from-stripe restores memberships that a restored backup has lost", async () => {
    const member = await newMember();
    await restoreBackup();
    expect(await member.whereTheyLand()).toBe("/");
    // every remaining row agrees with Stripe
    expect((await sync("--all")).stdout).toBe("0 synced, 0 failed\n");

    const doctor = await runProgram({ command: ["stripe", "doctor"], variables: site.variables });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("stripe sync --from-stripe");

    const { code, stdout } = await sync("--from-stripe");
    expect(stdout).toContain(`: ${member.subscription}`);
    expect(code).toBe(0);
    expect(await member.whereTheyLand()).toBe("/premium");
  });

  it("--all reports its progress, and resumes from there", async () => {
    await newMember();
    const { stderr, stdout } = await sync("--all");
    expect(stdout).toMatch(/^\d+ synced, 0 failed\n$/);
    const reached = /1 of 1, about 0 min left; resume from here with --after (\S+)/.exec(
      stderr.replace(/\d+ of \d+/, "1 of 1"),
    )?.[1];
    expect((await sync("--all", "--after", reached ?? "")).stdout).toBe("0 synced, 0 failed\n");
  });

  it("only --unlink-unknown unlinks customers of another account or mode", async () => {
    const member = await newMember();
    const [row] = await site.database.db.execute<{ customer: string }>(
      sql`select stripe_customer_id as customer from profiles
          where stripe_subscription_id = ${member.subscription}`,
    );
    await site.sandbox(`customers/${row?.customer}/forget`);
    const warned = await sync("--all");
    expect(warned.stdout).toMatch(/1 of the rows name a customer .* left as they are/);
    expect(await member.whereTheyLand()).toBe("/premium");
    expect((await sync("--all", "--unlink-unknown")).stdout).toMatch(/they have been unlinked/);
    expect(await member.whereTheyLand()).toBe("/");
  });

  it.each([
    ["two ways at once", ["--all", "--from-stripe"], /^Choose one of/],
    ["an end without a walk", ["--after", "x"], /go with --all/],
    ["an --after that is no id", ["--all", "--after", "x"], /--after/],
  ])("rejects %s", async (_what, options, message) => {
    const { code, stderr } = await sync(...options);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
