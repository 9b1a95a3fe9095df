-- the next sync of each customer records the memberships there have been so far; first, since what follows locks
-- sign-ups out until the end
UPDATE "profiles" SET "sync_due_at" = now() WHERE "stripe_customer_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE "daily_visitors" (
	"day" date NOT NULL,
	"page" text NOT NULL,
	"visitors" integer NOT NULL,
	CONSTRAINT "daily_visitors_day_page_pk" PRIMARY KEY("day","page")
);
--> statement-breakpoint
CREATE TABLE "former_accounts" (
	"joined_on" date NOT NULL,
	"left_on" date NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_subscribers" (
	"joined_on" date NOT NULL,
	"left_on" date NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"stripe_subscription_id" text,
	"user_id" uuid,
	"person" uuid NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"monthly_amount" integer NOT NULL,
	"currency" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visitor_hashes" (
	"day" date NOT NULL,
	"page" text NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "visitor_hashes_day_page_hash_pk" PRIMARY KEY("day","page","hash")
);
--> statement-breakpoint
CREATE TABLE "visitor_salts" (
	"day" date PRIMARY KEY NOT NULL,
	"salt" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "memberships_stripe_subscription_id_unique" ON "memberships" USING btree ("stripe_subscription_id");--> statement-breakpoint
CREATE INDEX "memberships_user_id_index" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE OR REPLACE FUNCTION "public"."record_former_subscribers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.former_subscribers (joined_on, left_on)
  SELECT (confirmed_at AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date
  FROM gone WHERE confirmed_at IS NOT NULL;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "record_former_subscribers" AFTER DELETE ON "subscribers"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.record_former_subscribers();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "public"."record_former_accounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.former_accounts (joined_on, left_on)
  SELECT (created_at AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date FROM gone;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "record_former_accounts" AFTER DELETE ON "users"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.record_former_accounts();
