import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findUnsafe } from "../../support/migration-safety.mjs";

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

  it.each([
    'UPDATE "users" SET "email" = lower("email");',
    'ALTER TABLE "users" ADD COLUMN "a" text; UPDATE "users" SET "a" = \'a;b\';',
    '/* the old ones */ DELETE FROM "sessions";',
    'WITH "gone" AS (DELETE FROM "sessions" RETURNING *) SELECT count(*) FROM "gone";',
    'WITH "old" AS (SELECT "id" FROM "new_ones") UPDATE "users" SET "email" = \'\';',
    'DO $$ BEGIN UPDATE "users" SET "email" = lower("email"); END $$;',
    'DO $body$ DECLARE "n" int; BEGIN "n" := 1; IF "n" > 0 THEN DELETE FROM "users"; END IF; END $body$;',
    "DO LANGUAGE plpgsql $$ BEGIN EXECUTE 'update users set email = null'; END $$;",
    'INSERT INTO "new_ones" SELECT * FROM "users"; INSERT INTO "users" SELECT * FROM "new_ones";',
    'MERGE INTO "users" USING "new_ones" ON true WHEN MATCHED THEN DO NOTHING;',
    'TRUNCATE "users";',
    'LOCK TABLE "users" IN ACCESS EXCLUSIVE MODE;',
  ])("and what changes rows, wherever it stands: %s", (statement) => {
    expect(rulesOf('CREATE TABLE "new_ones" ("id" uuid);\n', statement)).toContain("change-rows");
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

  it("rows of a table that is new, and functions that change rows later", () => {
    expect(
      rulesOf(
        'CREATE TABLE "new_ones" ("id" uuid, "user_id" uuid DEFAULT \'00000000-0000-0000-0000-000000000000\');\n',
        'INSERT INTO "new_ones" SELECT gen_random_uuid(); UPDATE "new_ones" SET "id" = null;',
        'DO $$ BEGIN DELETE FROM "new_ones"; END $$;',
        'CREATE FUNCTION "later"() RETURNS void LANGUAGE sql AS $$ UPDATE "users" SET "email" = null; $$;',
        'ALTER TABLE "new_ones" ADD CONSTRAINT "fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;',
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
