CREATE TABLE "text_announcements" (
	"id" text PRIMARY KEY NOT NULL,
	"out_at" timestamp with time zone,
	"announced_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "new_texts_mail_since" timestamp with time zone;