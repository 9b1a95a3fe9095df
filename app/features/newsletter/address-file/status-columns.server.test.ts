import { describe, expect, it } from "vitest";
import { statusColumns } from "./status-columns.server";

const row = (names: string) => names.split(",");

describe("a column that looks like a status", () => {
  // named as in the services' own exports
  it.each([
    ["Beehiiv", "email,status,created_at,subscription_tier,utm_source", ["status"]],
    ["listmonk", "uuid,email,name,attributes,status,created_at,updated_at", ["status"]],
    ["Kit", "id,first_name,email_address,state,created_at", ["state"]],
    [
      "Ghost",
      "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers",
      ["subscribed_to_emails", "deleted_at"],
    ],
    [
      "Substack",
      "email,active_subscription,expiry,plan,email_disabled,created_at",
      ["active_subscription", "email_disabled"],
    ],
    [
      "Buttondown",
      "email_address,type,notes,tags,creation_date,source,unsubscription_date,undeliverability_reason",
      ["type", "unsubscription_date", "undeliverability_reason"],
    ],
    [
      "Mailchimp's unsubscribed contacts",
      "Email Address,First Name,OPTIN_TIME,UNSUB_TIME,UNSUB_REASON,TAGS",
      ["UNSUB_TIME", "UNSUB_REASON"],
    ],
    [
      "Mailchimp's cleaned contacts",
      "Email Address,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE",
      ["CLEAN_TIME", "CLEAN_CAMPAIGN_TITLE"],
    ],
    ["MailerLite", "Subscriber,Email,Sent,Opens,Clicks,Subscribed", ["Subscribed"]],
    [
      "Brevo",
      "EMAIL,LASTNAME,OPT_IN,DOUBLE_OPT-IN,EMAIL_BLACKLISTED",
      ["OPT_IN", "DOUBLE_OPT-IN", "EMAIL_BLACKLISTED"],
    ],
    [
      "HubSpot",
      "Email,Unsubscribed from all email,Opted out of email: News,Email hard bounce reason",
      ["Unsubscribed from all email", "Opted out of email: News", "Email hard bounce reason"],
    ],
    [
      "Constant Contact",
      "Email address,Email permission status,Confirmed Opt-Out Date",
      ["Email permission status", "Confirmed Opt-Out Date"],
    ],
    [
      "Klaviyo",
      "Email,Email Marketing Consent,Suppressions",
      ["Email Marketing Consent", "Suppressions"],
    ],
    ["Shopify", "First Name,Email,Accepts Email Marketing,City", ["Accepts Email Marketing"]],
    ["a shop", "E-Mail,Newsletter,optIn,Complaints", ["Newsletter", "optIn", "Complaints"]],
    [
      "other languages",
      "Email,Statut,Désabonné,Abgemeldet am,Bestätigt",
      ["Statut", "Désabonné", "Abgemeldet am", "Bestätigt"],
    ],
  ])("is found in an export of %s", (_service, names, found) => {
    expect(statusColumns(row(names))).toEqual(found);
  });

  it.each([
    ["this site", "email,confirmed_at,consent_source,consent_recorded_at"],
    [
      "Mailchimp's subscribed contacts",
      "Email Address,First Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,GMTOFF,LAST_CHANGED,LEID,EUID,NOTES,TAGS",
    ],
    ["an address book", "Name,Given Name,E-mail 1 - Type,E-mail 1 - Value,Phone,Website,Birthday"],
    [
      "anything else",
      "Subscriber,Subscription date,subscribed_at,Last active,Statement,Estate,Cleaner,Country",
    ],
  ])("is not found in an export of %s", (_service, names) => {
    expect(statusColumns(row(names))).toEqual([]);
  });
});
