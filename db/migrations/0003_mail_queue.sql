CREATE TABLE "campaigns" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"slug" text NOT NULL,
	"audience" text NOT NULL,
	"subject" text NOT NULL,
	"preview_text" text NOT NULL,
	"markdown" text NOT NULL,
	"premium" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"pause_reason" text,
	"rate" double precision,
	"start_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaigns_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "mail_token_buckets" (
	"key" text PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"heartbeat_at" timestamp with time zone DEFAULT now() NOT NULL,
	"circuit_open_since" timestamp with time zone,
	"circuit_reason" text
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"priority" smallint NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"idempotency_key" text,
	"recipient" text,
	"address_hash" "bytea" NOT NULL,
	"campaign_id" uuid,
	"subscriber_id" uuid,
	"message" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"times_in_doubt" smallint DEFAULT 0 NOT NULL,
	"worker_id" uuid,
	"claimed_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"last_reply" text,
	CONSTRAINT "mails_finished_without_content" CHECK (("mails"."state" in ('queued', 'sending')) = ("mails"."finished_at" is null) and ("mails"."finished_at" is null or "mails"."state" = 'failed' or ("mails"."recipient" is null and "mails"."message" is null))),
	CONSTRAINT "mails_unfinished_with_recipient" CHECK ("mails"."finished_at" is not null or ("mails"."campaign_id" is null) = ("mails"."recipient" is not null))
);
--> statement-breakpoint
CREATE TABLE "newsletter_images" (
	"name" text PRIMARY KEY NOT NULL,
	"media_type" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"content" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "site_keys" (
	"name" text PRIMARY KEY NOT NULL,
	"value" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suppressed_addresses" (
	"address_hash" "bytea" PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"reply" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "consent_source" text;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "consent_recorded_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "subscribers" ADD COLUMN "unsubscribe_token" text;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mails_idempotency_key_unique" ON "mails" USING btree ("idempotency_key") WHERE "mails"."idempotency_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "mails_campaign_address_unique" ON "mails" USING btree ("campaign_id","address_hash") WHERE "mails"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "mails_transactional_due_index" ON "mails" USING btree ("priority","due_at","id") WHERE "mails"."state" = 'queued' and "mails"."campaign_id" is null;--> statement-breakpoint
CREATE INDEX "mails_campaign_due_index" ON "mails" USING btree ("campaign_id","due_at","id") WHERE "mails"."state" = 'queued' and "mails"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "mails_sending_index" ON "mails" USING btree ("worker_id") WHERE "mails"."state" = 'sending';--> statement-breakpoint
CREATE INDEX "mails_campaign_state_index" ON "mails" USING btree ("campaign_id","state") WHERE "mails"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "mails_transactional_finished_at_index" ON "mails" USING btree ("finished_at") WHERE "mails"."campaign_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscribers_unsubscribe_token_unique" ON "subscribers" USING btree ("unsubscribe_token");--> statement-breakpoint
-- every finished mail leaves a dead row behind; by default a fifth of the table would have to be dead
ALTER TABLE "mails" SET (autovacuum_vacuum_scale_factor = 0.02);
