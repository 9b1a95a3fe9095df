import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findUnsafe } from "../support/migration-safety.mjs";

const folder = mkdtempSync(join(tmpdir(), "golden-path-migrations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rules that a migration of these statements breaks, in drizzle-kit's form. */
function rulesOf(...statements: string[]): string[] {
  const file = join(folder, "0099_next.sql");
  writeFileSync(file, statements.join("--> statement-breakpoint\n"));
  return findUnsafe([file]).map(({ rule }) => rule);
}

describe("the check of new migrations refuses what the release before does not survive", () => {
  it.each([
    ['ALTER TABLE "users" DROP COLUMN "avatar_url";', "ban-drop-column"],
    ['ALTER TABLE "users" RENAME COLUMN "email" TO "address";', "renaming-column"],
    ['ALTER TABLE "users" RENAME TO "people";', "renaming-table"],
    ['DROP TABLE "users";', "ban-drop-table"],
    ['ALTER TABLE "users" ADD COLUMN "name" text NOT NULL;', "adding-required-field"],
    ['ALTER TABLE "users" ALTER COLUMN "avatar_url" SET NOT NULL;', "adding-not-nullable-field"],
    ['ALTER TABLE "users" ALTER COLUMN "email" DROP NOT NULL;', "ban-drop-not-null"],
    ['ALTER TABLE "users" ALTER COLUMN "created_at" DROP DEFAULT;', "drop-what-is-used"],
    ['DROP SEQUENCE "billing_sync_numbers";', "drop-what-is-used"],
    ['CREATE UNIQUE INDEX "u" ON "users" USING btree ("email");', "unique-index"],
  ])("%s", (statement, rule) => {
    expect(rulesOf(statement)).toContain(rule);
  });
});

describe("the check of new migrations refuses what holds a lock for long", () => {
  it.each([
    ['ALTER TABLE "users" ALTER COLUMN "email" SET DATA TYPE varchar(9);', "changing-column-type"],
    ['CREATE INDEX "i" ON "users" USING btree ("email");', "require-concurrent-index-creation"],
    ['DROP INDEX "users_email_unique";', "require-concurrent-index-deletion"],
    [
      'ALTER TABLE "users" ADD CONSTRAINT "c" CHECK (email <> \'\');',
      "constraint-missing-not-valid",
    ],
    [
      'ALTER TABLE "users" ADD COLUMN "token" uuid DEFAULT gen_random_uuid() NOT NULL;',
      "adding-field-with-default",
    ],
    ['UPDATE "users" SET "email" = lower("email");', "change-rows"],
  ])("%s", (statement, rule) => {
    expect(rulesOf(statement)).toContain(rule);
  });
});

describe("the check of new migrations lets pass", () => {
  it("what is added: tables with indexes and foreign keys, columns with a constant default or none", () => {
    expect(
      rulesOf(
        'CREATE TABLE "things" ("id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL, "user_id" uuid NOT NULL);\n',
        'ALTER TABLE "things" ADD CONSTRAINT "fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade;',
        'CREATE UNIQUE INDEX "things_user" ON "things" USING btree ("user_id");',
        'ALTER TABLE "users" ADD COLUMN "nickname" text;',
        'ALTER TABLE "users" ADD COLUMN "visits" integer DEFAULT 0 NOT NULL;',
      ),
    ).toEqual([]);
  });

  it("a statement that is accepted with a reason, and no other", () => {
    const drop = (column: string) => `ALTER TABLE "users" DROP COLUMN "${column}";`;
    const reason = "-- accepted ban-drop-column: no release since 0.4 reads it\n";
    expect(rulesOf(reason + drop("one"))).toEqual([]);
    expect(rulesOf(reason + drop("one"), drop("two"))).toEqual(["ban-drop-column"]);
    expect(rulesOf(`-- accepted ban-drop-column: ok\n${drop("one")}`)).toEqual(["ban-drop-column"]);
    expect(
      rulesOf(`-- accepted ban-drop-table: no release since 0.4 reads it\n${drop("one")}`),
    ).toEqual(["ban-drop-column"]);
  });
});
