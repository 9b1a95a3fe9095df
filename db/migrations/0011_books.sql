ALTER TABLE "edition_documents" ADD COLUMN "part" text;--> statement-breakpoint
ALTER TABLE "edition_documents" ADD COLUMN "label" text;