CREATE SEQUENCE "public"."billing_sync_numbers" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "stripe_prices" (
	"id" text PRIMARY KEY NOT NULL,
	"product_id" text NOT NULL,
	"unit_amount" integer,
	"currency" text NOT NULL,
	"interval" text NOT NULL,
	"interval_count" integer NOT NULL
);
--> statement-breakpoint
DROP INDEX "profiles_stripe_current_period_end_index";--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "stripe_cancel_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "access_withdrawn" text;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "checkout_failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "sync_number" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "sync_due_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "profiles_sync_due_at_index" ON "profiles" USING btree ("sync_due_at");--> statement-breakpoint
-- what gives access has changed, so everybody whom Stripe knows is looked at anew
UPDATE "profiles" SET "sync_due_at" = now() WHERE "stripe_customer_id" IS NOT NULL;
