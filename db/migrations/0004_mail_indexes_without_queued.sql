DROP INDEX "mails_campaign_state_index";--> statement-breakpoint
DROP INDEX "mails_transactional_finished_at_index";--> statement-breakpoint
CREATE INDEX "mails_campaign_state_index" ON "mails" USING btree ("campaign_id","state") WHERE "mails"."state" <> 'queued' and "mails"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "mails_transactional_finished_at_index" ON "mails" USING btree ("finished_at") WHERE "mails"."finished_at" is not null and "mails"."campaign_id" is null;