ALTER TABLE "edition_documents" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "edition_documents" ADD COLUMN "dir" text;--> statement-breakpoint
ALTER TABLE "editions" ADD COLUMN "site" jsonb;