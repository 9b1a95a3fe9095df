CREATE TABLE "highlights" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"quote" text NOT NULL,
	"prefix" text NOT NULL,
	"suffix" text NOT NULL,
	"start" integer NOT NULL,
	"color" smallint NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"searched" text NOT NULL,
	"is_lost" boolean DEFAULT false NOT NULL,
	"render_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "text_announcements" (
	"id" text PRIMARY KEY NOT NULL,
	"out_at" timestamp with time zone,
	"announced_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "edition_documents" ADD COLUMN "id" text;--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "leads_to" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "reading_settings" jsonb;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "new_texts_mail_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "highlights" ADD CONSTRAINT "highlights_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "highlights_user_id_slug_index" ON "highlights" USING btree ("user_id","slug");