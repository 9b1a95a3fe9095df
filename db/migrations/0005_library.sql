CREATE TABLE "edition_documents" (
	"edition" text NOT NULL,
	"slug" text NOT NULL,
	"kind" text NOT NULL,
	"position" integer NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"publish_at" timestamp with time zone,
	"extra_kind" text,
	"audio" text,
	"is_public" boolean DEFAULT false NOT NULL,
	"word_count" integer NOT NULL,
	"html" text NOT NULL,
	"blocks" text[] NOT NULL,
	"search" "tsvector" NOT NULL,
	"render_key" text NOT NULL,
	CONSTRAINT "edition_documents_edition_slug_pk" PRIMARY KEY("edition","slug")
);
--> statement-breakpoint
CREATE TABLE "edition_files" (
	"edition" text NOT NULL,
	"path" text NOT NULL,
	"sha256" text NOT NULL,
	"media_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"width" integer,
	"height" integer,
	"duration" double precision,
	CONSTRAINT "edition_files_edition_path_pk" PRIMARY KEY("edition","path")
);
--> statement-breakpoint
CREATE TABLE "editions" (
	"digest" text PRIMARY KEY NOT NULL,
	"landing" jsonb,
	"imported_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"user_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notes_user_id_slug_pk" PRIMARY KEY("user_id","slug")
);
--> statement-breakpoint
CREATE TABLE "podcast_feeds" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "podcast_feeds_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "reading_progress" (
	"user_id" uuid NOT NULL,
	"slug" text NOT NULL,
	"block" integer,
	"second" double precision,
	"read_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reading_progress_user_id_slug_pk" PRIMARY KEY("user_id","slug")
);
--> statement-breakpoint
ALTER TABLE "edition_documents" ADD CONSTRAINT "edition_documents_edition_editions_digest_fk" FOREIGN KEY ("edition") REFERENCES "public"."editions"("digest") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "edition_files" ADD CONSTRAINT "edition_files_edition_editions_digest_fk" FOREIGN KEY ("edition") REFERENCES "public"."editions"("digest") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "podcast_feeds" ADD CONSTRAINT "podcast_feeds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reading_progress" ADD CONSTRAINT "reading_progress_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "edition_documents_render_key_index" ON "edition_documents" USING btree ("render_key");--> statement-breakpoint
CREATE INDEX "edition_documents_search_index" ON "edition_documents" USING gin ("search");