import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The modules that hold the product's rules: `npm test` prints their coverage, `npm run mutation` their
 * mutation scores. `sources` and `tests` are glob patterns, relative to the project's root; `tests` are all
 * that run without a browser and without a program of their own, so that a mutant can be put into them. With `ignoreStatic`
 * the mutants of what runs only while a module is loaded are left out: each would take all of the module's tests.
 *
 * With `parts`, a source is measured with the unit tests and the tests of the first part that has it. That may count a
 * change as unnoticed which another part's tests notice, never the reverse; a change of shared code that no test
 * notices would otherwise take all of them.
 *
 * @typedef {{ sources: string[], tests: string[] }} Part
 * @typedef {{ sources: string[], tests: string[], parts?: Part[], ignoreStatic?: boolean }} Module
 */

/** @type {Record<string, Module>} */
export const MODULES = {
  billing: {
    ignoreStatic: true,
    sources: [
      "app/features/billing/**/*.ts",
      "app/features/membership/**/*.ts",
      "db/queries/{billing-examination,profiles,stripe-prices,webhook-events}.ts",
    ],
    tests: [
      "app/features/{billing,membership}/**/*.test.{ts,tsx}",
      "tests/integration/{author-notice,change-email,checkout,checkout-link}.test.ts",
      "tests/integration/{checkout-races,checkout-success,clean-up}.test.ts",
      "tests/integration/{customer,customer-email}.test.ts",
      "tests/integration/{delete-account,dispute-matters,membership-mails}.test.ts",
      "tests/integration/membership-rules.test.ts",
      "tests/integration/{payment-pages,portal,portal-return,premium-product}.test.ts",
      "tests/integration/{price-on-sale,reconcile}.test.ts",
      "tests/integration/reconcile-from-stripe.test.ts",
      "tests/integration/{sync-customer,webhook-disputes}.test.ts",
      "tests/integration/{sync-order,webhook}.test.ts",
      "tests/full/integration/{stripe-calls,stripe-doctor,stripe-setup}.test.ts",
    ],
    parts: [
      { sources: ["app/features/{billing,membership}/!(in-parallel|*.server).ts"], tests: [] },
      {
        sources: ["app/features/billing/premium-product.server.ts", "db/queries/stripe-prices.ts"],
        tests: ["tests/integration/premium-product.test.ts"],
      },
      {
        sources: ["app/features/billing/{setup-*,stripe-setup}.server.ts"],
        tests: ["tests/full/integration/stripe-setup.test.ts"],
      },
      {
        sources: [
          "app/features/billing/{doctor-*,stripe-doctor,undelivered-events}.server.ts",
          "app/features/billing/webhook-rejections.server.ts",
          "db/queries/{billing-examination,webhook-events}.ts",
        ],
        tests: [
          "tests/integration/{clean-up,webhook}.test.ts",
          "tests/full/integration/stripe-doctor.test.ts",
        ],
      },
      {
        sources: [
          "app/features/billing/{budgeted-http-client,call-budget,call-limits}.server.ts",
          "app/features/billing/{coalesce,stripe-client}.server.ts",
        ],
        tests: [],
      },
      {
        sources: [
          "app/features/billing/{checkout-*,load-price-on-sale}.server.ts",
          "app/features/billing/{payment-pages,portal,portal-*,stripe-origins}.server.ts",
          "app/features/membership/*.server.ts",
        ],
        tests: [
          "tests/integration/{checkout,checkout-link,checkout-success,payment-pages}.test.ts",
          "tests/integration/{portal,portal-return,price-on-sale}.test.ts",
        ],
      },
      {
        sources: ["app/features/billing/{checkout,customer}.server.ts"],
        tests: [
          "tests/integration/{checkout,checkout-link,checkout-races,customer}.test.ts",
          "tests/integration/payment-pages.test.ts",
        ],
      },
      {
        sources: ["app/features/billing/{customer-email,delete-customer}.server.ts"],
        tests: ["tests/integration/{change-email,customer-email,delete-account}.test.ts"],
      },
      {
        sources: ["app/features/billing/dispute-matters.server.ts"],
        tests: ["tests/integration/dispute-matters.test.ts"],
      },
      {
        sources: ["app/features/billing/membership-mails.server.ts"],
        tests: ["tests/integration/membership-mails.test.ts"],
      },
      {
        sources: [
          "app/features/billing/{author-notice,billed-profiles,card-actions}.server.ts",
          "app/features/billing/{customer-billing,dispute-actions,reconcile*}.server.ts",
          "app/features/billing/in-parallel.ts",
          "app/features/billing/{call-purpose,sync-customer,unlink-customer,webhook}.server.ts",
        ],
        tests: [
          "tests/integration/{author-notice,checkout,dispute-matters}.test.ts",
          "tests/integration/{membership-rules,reconcile}.test.ts",
          "tests/integration/{reconcile-from-stripe,sync-customer,sync-order}.test.ts",
          "tests/integration/{webhook,webhook-disputes}.test.ts",
        ],
      },
      {
        sources: ["db/queries/profiles.ts"],
        tests: [
          "tests/integration/{checkout-races,customer,customer-email}.test.ts",
          "tests/integration/{reconcile,sync-customer,sync-order}.test.ts",
        ],
      },
    ],
  },
  accounts: {
    sources: [
      // without its hooks
      "app/features/accounts/!(root-data|use-auth-changes).ts",
      "db/queries/{password-resets,sessions,users,viewer-details}.ts",
    ],
    tests: [
      "app/features/accounts/**/*.test.{ts,tsx}",
      "tests/integration/{accounts,clean-up,known-browser,password-races,password-reset}.test.ts",
      "tests/integration/{password-reset-request,sign-in,sign-up-notice,viewer}.test.ts",
      "tests/integration/{account-welcome,change-email,change-password}.test.ts",
      "tests/integration/{email-confirmation,sessions}.test.ts",
    ],
  },
  "my-account": {
    sources: [
      "app/features/my-account/**/*.ts",
      "app/features/accounts/passkeys/!(use-|passkey-ceremony)*.ts",
      "db/queries/{account-data,account-deletions,account-facts,avatars}.ts",
      "db/queries/{email-changes,members,passkeys}.ts",
    ],
    tests: [
      "tests/integration/{account-export,avatar,change-email}.test.ts",
      "tests/integration/delete-account.test.ts",
      "tests/integration/{change-password,email-confirmation}.test.ts",
      "tests/full/integration/member-commands.test.ts",
      "tests/integration/{passkeys,sessions}.test.ts",
      "tests/full/integration/picture-process.test.ts",
    ],
  },
  newsletter: {
    ignoreStatic: true,
    sources: [
      "app/features/newsletter/**/*.ts",
      "db/queries/{campaigns,newsletter-images,subscriber-lists,subscribers}.ts",
      "db/queries/suppressed-addresses.ts",
    ],
    tests: [
      "app/features/newsletter/**/*.test.{ts,tsx}",
      "tests/integration/{clean-up,newsletter,newsletter-double-opt-in}.test.ts",
      "tests/integration/newsletter-{campaigns,pages}.test.ts",
      "tests/integration/{subscriber-commands,suppressed-addresses}.test.ts",
    ],
    parts: [
      {
        sources: ["app/features/newsletter/address-file/*.ts"],
        tests: ["tests/integration/subscriber-commands.test.ts"],
      },
      {
        sources: [
          "app/features/newsletter/{consent-source,suppression-reasons}.ts",
          "app/features/newsletter/{export-,import-}subscribers.server.ts",
          "app/features/newsletter/suppress-listed.server.ts",
          "db/queries/{subscriber-lists,suppressed-addresses}.ts",
        ],
        tests: ["tests/integration/{subscriber-commands,suppressed-addresses}.test.ts"],
      },
      {
        sources: [
          "app/features/newsletter/{add-subscriber,confirm,newsletter-welcome}.server.ts",
          "app/features/newsletter/{subscribe,subscriber-*,unsubscribe,unsubscribe-*}.server.ts",
          "db/queries/subscribers.ts",
        ],
        tests: [
          "tests/integration/{clean-up,newsletter,newsletter-double-opt-in}.test.ts",
          "tests/integration/{subscriber-commands,suppressed-addresses}.test.ts",
        ],
      },
      {
        sources: ["app/features/newsletter/*.ts", "db/queries/{campaigns,newsletter-images}.ts"],
        tests: ["tests/integration/newsletter-{campaigns,pages}.test.ts"],
      },
    ],
  },
  mail: {
    sources: [
      "app/features/mail/{circuit-breaker,delivery-outcome,mail-kinds,mail-report}.ts",
      "app/features/mail/{retry-schedule,smtp-failure}.ts",
      "app/features/mail/*.server.ts",
      "db/queries/mail{s,-claims,-history,-token-buckets,-workers}.ts",
    ],
    tests: [
      "app/features/mail/**/*.test.{ts,tsx}",
      "tests/integration/{clean-up,mail-campaigns,mail-enqueue}.test.ts",
      "tests/full/integration/mail-doctor.test.ts",
      "tests/integration/mail-worker.test.ts",
      "tests/full/integration/mail-transport.test.ts",
    ],
  },
  library: {
    sources: [
      // without its hooks
      "app/features/library/**/!(use-)*.ts",
      "app/features/markdown/*.ts",
      "db/queries/{edition-search,editions,listening,notes,podcast-feeds,reading-progress}.ts",
      "db/queries/text-readings.ts",
    ],
    tests: [
      "app/features/{library,markdown}/**/*.test.{ts,tsx}",
      "tests/integration/{book,edition-import}.test.ts",
      "tests/full/integration/{content-commands,edition-watch}.test.ts",
      "tests/integration/{library-preview,library-search,library-sounds}.test.ts",
      "tests/integration/{notes,reading-progress,text-readings}.test.ts",
    ],
  },
  community: {
    sources: ["app/features/community/*.ts"],
    tests: ["tests/integration/community.test.ts"],
  },
  guards: {
    sources: [
      "app/server/{bad-client,client-address,loopback,request-guards,request-host}.server.ts",
      "app/server/{response-headers,route-table}.server.ts",
      "app/http/{cookies,honeypot,request-body}.server.ts",
      "app/http/{safe-redirect,secret-link}.ts",
    ],
    tests: [
      "app/server/{bad-client,client-address,http-server,loopback}.server.test.ts",
      "app/server/{request-guards,request-host,response-headers,route-table}.server.test.ts",
      "app/http/{cookies,honeypot,request-body}.server.test.ts",
      "app/http/{safe-redirect,secret-link}.test.ts",
    ],
  },
  cache: {
    sources: [
      "app/server/{accept-encoding,cached-response,page-cache,prepared-response}.server.ts",
      "app/server/static-files.server.ts",
    ],
    tests: [
      "app/server/{accept-encoding,page-cache,prepared-response,static-files}.server.test.ts",
    ],
  },
  templates: {
    sources: ["app/server/{page-template,stand-in-viewer,viewer-pages}.server.ts"],
    tests: ["app/server/{page-template,stand-in-viewer,viewer-pages}.server.test.ts"],
  },
  limits: {
    sources: [
      "app/http/{client-network,fair-queue,fair-scheduling,page-slots,rate-limiter}.server.ts",
      "app/http/{rate-limits,receiving-memory,round-robin,size-ranking}.server.ts",
      "app/server/{connection-groups,connection-limiter,file-descriptors}.server.ts",
      "app/server/lingering-close.server.ts",
      "db/queries/rate-limits.ts",
    ],
    tests: [
      "app/http/**/*.test.ts",
      "app/server/{connection-groups,connection-limiter,http-server}.server.test.ts",
      "tests/integration/rate-limits.test.ts",
    ],
  },
};

/**
 * A module's source files, without the tests beside them, relative to the project's root.
 *
 * @param {Module} module
 */
export const filesOf = ({ sources }) =>
  globSync(sources, { cwd: root, ignore: ["**/*.test.ts"] }).sort();

/**
 * The parts of a module that its sources are measured in, each with its files; what no part has is the last one, with
 * all of the module's tests.
 *
 * @param {Module} module
 * @returns {{ files: string[], tests: string[] }[]}
 */
export function partsOf(module) {
  let remaining = filesOf(module);
  const unitTests = module.tests.filter((pattern) => pattern.startsWith("app/"));
  const parts = (module.parts ?? []).map(({ sources, tests }) => {
    const own = filesOf({ sources, tests: [] });
    const files = remaining.filter((file) => own.includes(file));
    remaining = remaining.filter((file) => !own.includes(file));
    return { files, tests: [...unitTests, ...tests] };
  });
  return [...parts, { files: remaining, tests: module.tests }];
}
