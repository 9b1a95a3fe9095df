ALTER TABLE "mails" ADD COLUMN "leads_to" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "network" text;