CREATE TABLE "operator_matters" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"facts" jsonb NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"good_since" timestamp with time zone,
	"report_due_at" timestamp with time zone NOT NULL,
	"reported_at" timestamp with time zone,
	"is_mailed" boolean DEFAULT false NOT NULL,
	"cleared_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "operator_signals" (
	"name" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "program_starts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"place" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "renewal_failures" (
	"invoice_hash" "bytea" PRIMARY KEY NOT NULL,
	"failed_at" timestamp with time zone NOT NULL,
	"recovered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "operator_matters_open_unique" ON "operator_matters" USING btree ("key") WHERE "operator_matters"."cleared_at" is null;--> statement-breakpoint
CREATE INDEX "operator_matters_key_index" ON "operator_matters" USING btree ("key","reported_at");--> statement-breakpoint
CREATE INDEX "program_starts_started_at_index" ON "program_starts" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "renewal_failures_failed_at_index" ON "renewal_failures" USING btree ("failed_at");