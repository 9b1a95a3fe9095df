CREATE TABLE "desk_changes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"user_id" uuid,
	"what" text NOT NULL,
	"about_user_id" uuid
);
--> statement-breakpoint
CREATE TABLE "desk_drafts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"path" text,
	"content" text NOT NULL,
	"base_hash" text,
	"version" integer DEFAULT 1 NOT NULL,
	"saved_by" uuid,
	"saved_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "desk_files" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"draft_id" uuid,
	"name" text NOT NULL,
	"content" "bytea" NOT NULL,
	"uploaded_by" uuid,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "desk_changes" ADD CONSTRAINT "desk_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desk_changes" ADD CONSTRAINT "desk_changes_about_user_id_users_id_fk" FOREIGN KEY ("about_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desk_drafts" ADD CONSTRAINT "desk_drafts_saved_by_users_id_fk" FOREIGN KEY ("saved_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desk_files" ADD CONSTRAINT "desk_files_draft_id_desk_drafts_id_fk" FOREIGN KEY ("draft_id") REFERENCES "public"."desk_drafts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desk_files" ADD CONSTRAINT "desk_files_uploaded_by_users_id_fk" FOREIGN KEY ("uploaded_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "desk_changes_at_index" ON "desk_changes" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "desk_drafts_path_unique" ON "desk_drafts" USING btree ("path");--> statement-breakpoint
CREATE UNIQUE INDEX "desk_files_name_unique" ON "desk_files" USING btree ("draft_id","name");--> statement-breakpoint
CREATE INDEX "desk_files_expires_at_index" ON "desk_files" USING btree ("expires_at");