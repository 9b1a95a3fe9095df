CREATE TABLE "stripe_site" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"is_only" boolean DEFAULT true NOT NULL,
	"live_url" text
);
--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "second_subscription_id" text;--> statement-breakpoint
CREATE UNIQUE INDEX "stripe_site_is_only_unique" ON "stripe_site" USING btree ("is_only");