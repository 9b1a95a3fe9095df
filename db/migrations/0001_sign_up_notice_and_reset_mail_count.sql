ALTER TABLE "password_resets" ADD COLUMN "mail_count" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "counted_since" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "sign_up_notice_sent_at" timestamp with time zone;