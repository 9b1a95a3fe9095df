import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { backupName } from "~/features/backup/backup-name";
import { stripeClient } from "~/features/billing/stripe-client.server";
import type { Finding } from "~/features/checks/answer";
import { describeFindings } from "~/features/checks/describe-findings";
import { connectDatabase } from "~db/client";
import { withSnapshot } from "~db/dump/snapshot";
import { knownMigrations } from "~db/known-migrations";
import { migrateDatabase } from "~db/migrate";
import { BUCKET_KEY, startBucket } from "../../support/bucket-server.mjs";
import { GOOD_HABITS, redirectToTls } from "../../support/doctor-front";
import {
  type DoctorScene,
  HOST,
  NO_LIMIT,
  openDoctorScene,
  SECRETS,
  WORKER_RUNS,
} from "../../support/doctor-scene";
import { eventually } from "../../support/eventually";
import { makeOlderDatabase } from "../../support/older-database";
import { freePorts } from "../../support/ports.mjs";

let scene: DoctorScene;
beforeAll(async () => {
  scene = await openDoctorScene();
});
afterAll(async () => {
  await scene?.close();
  setEnvironment({});
});

/** Follows the advice, which it gets as printed. */
type Fix = (advice: string) => unknown;

/** A set-up that is really broken, with all of its findings, the cause first. */
type Case = {
  name: string;
  /** Whether it needs its own disk, which not every machine allows. */
  needsDisk?: true;
  /** Seconds after which a session counts as stuck, if not the default. */
  stuckSeconds?: number;
  breakIt: () => Fix | Promise<Fix>;
  /** Lines in the format of `lineOf`. */
  finds: RegExp[];
};

/** Runs the command after the advice's colon in a shell. */
const obeyShell: Fix = (advice) => {
  const [, command = ""] = /: (ch\w+ [^;]+)/.exec(advice) ?? [];
  execFileSync("sh", ["-c", command]);
};

/** Runs the SQL after the advice's colon. */
const obeySql: Fix = async (advice) => {
  const [, statements = ""] = /: ((?:select|alter) .*;)$/.exec(advice) ?? [];
  for (const statement of statements.split(";").filter((part) => part.trim())) {
    await scene.sql(statement);
  }
};

/** Sets variables, and returns a function that restores them. */
const put = (variables: Record<string, string>) => {
  const former = Object.keys(variables).map((name) => [name, scene.variables[name] ?? ""]);
  scene.set(variables);
  return () => scene.set(Object.fromEntries(former));
};

const databaseUrl = (change: (url: URL) => void) => {
  const url = new URL(scene.variables.DATABASE_URL ?? "");
  change(url);
  return put({ DATABASE_URL: url.href });
};

const habits = (changes: Partial<typeof GOOD_HABITS>) => {
  scene.front.habits = { ...GOOD_HABITS, ...changes };
  return () => {
    scene.front.habits = GOOD_HABITS;
  };
};

const record = (name: string, values: string[] | null) => {
  const { records } = scene.names;
  const former = records[name];
  if (values) records[name] = values;
  else delete records[name];
  return () => {
    if (former) records[name] = former;
    else delete records[name];
  };
};

const CASES: Case[] = [
  // settings
  {
    name: "a variable of another program's",
    breakIt: () => {
      scene.set({ SMTP_HOST: "mail.example.com" });
      return () => delete scene.variables.SMTP_HOST && scene.set({});
    },
    finds: [/^settings warning SMTP_HOST: is set, but is not a setting.*→ .*unset it/],
  },

  // data directory and disk
  {
    name: "a data directory that is gone",
    breakIt: () => {
      const { DATA_DIR = "" } = scene.variables;
      renameSync(DATA_DIR, `${DATA_DIR}-away`);
      return () => renameSync(`${DATA_DIR}-away`, DATA_DIR);
    },
    finds: [/^data warning DATA_DIR: .* doesn't exist.*→ .*mount its disk/],
  },
  {
    name: "a data directory that others can read",
    breakIt: () => {
      chmodSync(scene.variables.DATA_DIR ?? "", 0o755);
      return obeyShell;
    },
    finds: [/^data problem access: other users can read DATA_DIR.*→ .*chmod go-rwx/],
  },
  {
    name: "a secret that others can read",
    breakIt: () => {
      const file = join(scene.variables.DATA_DIR ?? "", "session-secret");
      writeFileSync(file, "x".repeat(43));
      chmodSync(file, 0o644);
      return obeyShell;
    },
    finds: [/^data problem access: other users can read session-secret.*→ .*chmod 600/],
  },
  {
    name: "a read-only disk",
    needsDisk: true,
    breakIt: () => {
      scene.disk?.setReadOnly(true);
      return () => scene.disk?.setReadOnly(false);
    },
    finds: [/^data problem DATA_DIR: .* on a read-only file system.*→ .*Make it writable/],
  },
  {
    name: "a full disk",
    needsDisk: true,
    breakIt: () => {
      scene.disk?.fill();
      return () => scene.disk?.makeRoom();
    },
    finds: [
      /^data problem DATA_DIR: The disk .* is full.*→ .*Make room/,
      /^disk problem DATA_DIR: 0 bytes free, 0 %.*→ .*du -xsh/,
    ],
  },

  // database
  {
    name: "a database that is down",
    breakIt: async () => {
      await scene.postgres.stop();
      return () => scene.postgres.start();
    },
    finds: [
      /^database problem server: .*nothing listens there.*→ .*Start the database/,
      /^mail queue warning database: not checked.*→ $/,
    ],
  },
  {
    name: "a role that may only read",
    breakIt: async () => {
      await scene.sql(`create role reader login password 'right-password';
        grant usage on schema drizzle to reader;
        grant select on all tables in schema drizzle, public to reader`);
      const fix = databaseUrl((url) => (url.username = "reader"));
      return async () => {
        fix();
        await scene.sql("drop owned by reader; drop role reader");
      };
    },
    finds: [
      /^database problem writing: the database user may not use \d\d tables, such as [a-z_]+.*→ .*grant select, insert, update, delete on all tables in schema public to …;/,
    ],
  },
  {
    name: "pending migrations",
    breakIt: async () => {
      await scene.sql("create database older owner book");
      const fix = databaseUrl((url) => (url.pathname = "/older"));
      const url = scene.variables.DATABASE_URL ?? "";
      await makeOlderDatabase(url, knownMigrations().length - 1);
      const database = await connectDatabase(url);
      await database.db.execute(WORKER_RUNS);
      // what is at Stripe belongs to the site with this id
      const [known] = await scene.sql("select id from stripe_site");
      await database.db.execute(`insert into stripe_site (id) values ('${known?.id}')
        on conflict (is_only) do update set id = excluded.id`);
      return async () => {
        await migrateDatabase(database);
        await database.close();
        expect((await wrong()).map(lineOf)).toEqual([]);
        fix();
        await scene.sql("drop database older with (force)");
      };
    },
    finds: [
      /^database problem schema: 1 migration is pending.*→ .*Restart the site with this release/,
    ],
  },
  {
    name: "a database of a newer release",
    breakIt: async () => {
      await scene.sql(
        "insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 9999999999999)",
      );
      return () =>
        scene.sql("delete from drizzle.__drizzle_migrations where hash = 'of the future'");
    },
    finds: [
      /^database problem schema: has 1 migrations? of a newer release.*→ .*Run the newer release/,
    ],
  },
  {
    name: "a lock that others wait for",
    stuckSeconds: 0.3,
    breakIt: async () => {
      const holder = await scene.session("report");
      const waiter = await scene.session();
      await holder.query("begin; lock table passkeys in share mode", [], NO_LIMIT);
      const waiting = waiter.query("begin; lock table passkeys", [], NO_LIMIT).catch(() => {});
      await waitUntilStuck("wait_event_type = 'Lock'", "query_start");
      return async (advice) => {
        await obeySql(advice);
        await waiting;
        await waiter.end();
        holder.destroy();
      };
    },
    finds: [
      /^database problem locks: session \d+ \(report\) has done nothing within a transaction for \d+ s, and 1 wait.*→ .*pg_terminate_backend/,
    ],
  },
  {
    name: "a backup that others wait for",
    stuckSeconds: 0.3,
    breakIt: async () => {
      const waiter = await scene.session();
      const database = await connectDatabase(scene.variables.DATABASE_URL ?? "");
      let finish = () => {};
      const backup = withSnapshot(
        database,
        () =>
          new Promise<void>((done) => {
            finish = done;
          }),
      );
      await waitUntilStuck("state = 'idle in transaction'", "state_change");
      const waiting = waiter.query("begin; lock table passkeys", [], NO_LIMIT).catch(() => {});
      await waitUntilStuck("wait_event_type = 'Lock'", "query_start");
      return async () => {
        finish();
        await backup;
        await waiting;
        await waiter.end();
        await database.close();
      };
    },
    finds: [
      /^database warning locks: session \d+ \(golden-path backup\) .*, and 1 wait.*→ Wait until the site's backup is done/,
    ],
  },
  {
    name: "autovacuum turned off",
    breakIt: async () => {
      await scene.sql("alter system set autovacuum = off");
      await scene.sql("select pg_reload_conf()");
      await untilSetting("autovacuum", "off");
      return async (advice) => {
        await obeySql(advice);
        await untilSetting("autovacuum", "on");
      };
    },
    finds: [/^database problem autovacuum: turned off.*→ .*alter system reset autovacuum/],
  },

  // the site by its address
  {
    name: "a site that does not run",
    breakIt: async () => {
      await scene.front.stopSite();
      return () => scene.front.startSite();
    },
    finds: [
      /^site problem PUBLIC_URL: https:\/\/book\.example answers 502: the proxy is running.*→ .*Start the site/,
    ],
  },
  {
    name: "a proxy and a site that do not run",
    breakIt: async () => {
      const { portFor } = scene;
      const unusedPort = await freePorts(1);
      scene.portFor = () => unusedPort;
      await scene.front.stopSite();
      return async () => {
        scene.portFor = portFor;
        await scene.front.startSite();
      };
    },
    finds: [
      /^site problem program: does not answer on its port.*→ .*Start the site/,
      /^site problem PUBLIC_URL: .*nothing listens there.*→ .*Start the proxy/,
    ],
  },
  {
    name: "a name without a record",
    breakIt: () => record(`A ${HOST}`, null),
    finds: [/^site problem PUBLIC_URL: .*the name has no DNS record.*→ .*A record/],
  },
  {
    name: "name servers that do not answer",
    breakIt: () => {
      scene.names.isSilent = true;
      return () => {
        scene.names.isSilent = false;
      };
    },
    finds: [
      /^site problem PUBLIC_URL: .*name servers do not answer.*→ .*resolv\.conf/,
      /^mail warning SPF: not looked up \(ETIMEOUT\).*→ .*resolv\.conf/,
      /^mail warning DMARC: not looked up.*→ .*resolv\.conf/,
    ],
  },
  {
    name: "a second record that leads nowhere",
    breakIt: () => record(`A ${HOST}`, ["127.0.0.9", "127.0.0.1"]),
    finds: [
      /^site problem DNS: book\.example also leads to 127\.0\.0\.9, where nothing answers.*→ .*Delete that A record/,
    ],
  },
  {
    name: "an expired certificate",
    breakIt: () => {
      scene.front.certify(scene.authority.issue(HOST, { days: -1 }));
      return () => scene.front.certify(scene.authority.issue(HOST));
    },
    finds: [/^site problem PUBLIC_URL: .*the certificate has expired.*→ .*Renew it/],
  },
  {
    name: "an address that redirects",
    breakIt: () => {
      const location = "https://www.book.example/";
      return habits({ answers: (_, response) => response.writeHead(301, { location }).end() });
    },
    finds: [
      /^site problem .*redirects to https:\/\/www\.book\.example.*→ .*Set PUBLIC_URL=https:\/\/www\.book\.example/,
    ],
  },
  {
    name: "a proxy that passes another Host on",
    breakIt: () => habits({ passesHost: false }),
    finds: [
      /^site problem Host: the proxy asks the site for '127\.0\.0\.1:\d+'.*→ .*proxy_set_header Host \$host;/,
    ],
  },
  {
    name: "http that does not lead to https",
    breakIt: () => {
      scene.front.plain = (_, response) => response.end("unencrypted");
      return () => {
        scene.front.plain = redirectToTls;
      };
    },
    finds: [
      /^site problem http: http:\/\/book\.example does not lead to https \(status 200\).*→ .*redirect port 80/,
    ],
  },
  {
    name: "an alias without a certificate",
    breakIt: () => record(`A www.${HOST}`, ["127.0.0.1"]),
    finds: [
      /^site warning www\.book\.example: has a DNS record, but cannot be opened.*→ .*certificate that has this name/,
    ],
  },
  {
    name: "a clock that is wrong",
    breakIt: () => habits({ date: new Date(Date.now() + 3 * 3_600_000).toUTCString() }),
    finds: [/^clock problem clock: PUBLIC_URL's is 3 h ahead.*→ .*timedatectl/],
  },

  // Stripe
  {
    name: "no payments",
    breakIt: () => {
      const keys = { STRIPE_SECRET_KEY: "", STRIPE_PRICE_ID: "", STRIPE_WEBHOOK_SECRET: "" };
      return put({ ...keys, STRIPE_API_BASE: "" });
    },
    finds: [/^payments warning settings: not set: nothing is sold.*→ .*Set STRIPE_SECRET_KEY/],
  },
  {
    name: "a webhook endpoint that is gone",
    breakIt: async () => {
      const { data } = await stripeClient().webhookEndpoints.list();
      for (const { id } of data) await stripeClient().webhookEndpoints.del(id);
      return setUp;
    },
    finds: [
      /^payments problem webhook endpoint: none at https:\/\/book\.example\/webhooks\/stripe.*→ .*Run 'stripe setup'/,
    ],
  },

  {
    name: "webhooks with another secret, as the operator is mailed",
    breakIt: async () => {
      await scene.sql(
        "insert into operator_signals (name, count, first_at, last_at) values ('webhook-refused', 3, now(), now())",
      );
      return () => scene.sql("delete from operator_signals");
    },
    finds: [
      /^payments warning webhooks: The site has refused 3 webhooks and accepted none since.*→ Compare the endpoint's signing secret/,
    ],
  },

  // content and backups
  {
    name: "an edition with mistakes",
    breakIt: () => {
      const file = join(scene.folder, "content/chapters/09-broken.md");
      writeFileSync(file, "---\ntitle: Broken\n---\n\n[nowhere](missing.md)\n");
      return () => rmSync(file);
    },
    finds: [
      /^content problem edition: 1 mistake, such as chapters\/09-broken\.md.*→ .*content check/,
    ],
  },
  {
    name: "an edition that is not where it should be",
    breakIt: () => {
      const { CONTENT_DIR = "" } = scene.variables;
      renameSync(CONTENT_DIR, `${CONTENT_DIR}-away`);
      return () => renameSync(`${CONTENT_DIR}-away`, CONTENT_DIR);
    },
    finds: [
      /^content problem edition: there is none in CONTENT_DIR.*→ .*Mount or copy the edition/,
    ],
  },
  {
    name: "no backups",
    breakIt: () => put({ BACKUP_DIR: "", BACKUP_EVERY: "" }),
    finds: [/^backups warning place: no backups are made.*→ .*BACKUP_EVERY=1d/],
  },
  {
    name: "a backup that is late",
    breakIt: () => {
      const [fresh, late] = [0, 3].map((days) =>
        join(scene.folder, "backups", backupName(new Date(Date.now() - days * 86_400_000))),
      ) as [string, string];
      rmSync(join(scene.folder, "backups"), { recursive: true });
      mkdirSync(join(scene.folder, "backups"));
      writeFileSync(late, "");
      return () => writeFileSync(fresh, "");
    },
    finds: [
      /^backups problem BACKUP_DIR: the newest is 3 days old, and one is due every 24 h.*→ .*Run 'backup'/,
    ],
  },
  {
    name: "a bucket that refuses the key",
    breakIt: async () => {
      const bucket = await startBucket(join(scene.folder, "storage"));
      const fix = put({
        BACKUP_S3_URL: bucket.url,
        BACKUP_S3_ACCESS_KEY_ID: BUCKET_KEY.accessKeyId,
        BACKUP_S3_SECRET_ACCESS_KEY: "wrong-key-of-the-bucket",
      });
      return async () => {
        fix();
        await bucket.close();
      };
    },
    finds: [
      /^backups problem BACKUP_S3_URL: cannot be read: .* refuses the key.*→ Check BACKUP_S3_ACCESS_KEY_ID/,
    ],
  },
];

/** Runs `stripe setup`, and sets what it prints. */
async function setUp(): Promise<void> {
  const { webhook } = await scene.setUpStripe();
  scene.set(webhook.kind === "new" ? { STRIPE_WEBHOOK_SECRET: webhook.secret } : {});
}

async function waitUntilStuck(condition: string, since: string): Promise<void> {
  await eventually(async () => {
    const found = await scene.sql(
      `select 1 from pg_stat_activity where ${condition} and ${since} < now() - interval '0.35 s'`,
    );
    expect(found.length).toBeGreaterThan(0);
  });
}

async function untilSetting(name: string, value: string): Promise<void> {
  await eventually(async () => {
    expect(await scene.sql(`select current_setting('${name}') as value`)).toMatchObject([
      { value },
    ]);
  });
}

async function wrong(stuckSeconds?: number): Promise<Finding[]> {
  return (await scene.examine(stuckSeconds)).filter(({ level }) => level !== "ok");
}

const lineOf = ({ area, level, what, found, advice = "" }: Finding) =>
  `${area} ${level} ${what}: ${found} → ${advice}`;

describe("doctor", () => {
  it("finds no fault with a healthy site", async () => {
    const findings = await scene.examine();
    expect(findings.filter(({ level }) => level !== "ok").map(lineOf)).toEqual([]);
    expect([...new Set(findings.map(({ area }) => area))].sort().join(", ")).toBe(
      "backups, clock, content, data, database, disk, mail, mail queue, payments, release, settings, site",
    );
    expect(describeFindings(findings).length).toBeLessThan(40);
    expect(describeFindings(findings).at(-1)).toBe("Everything is fine.");
  });

  it.for(CASES)("names $name, and its advice fixes it", async (row, { skip }) => {
    const { needsDisk, stuckSeconds, breakIt, finds } = row;
    skip(
      needsDisk === true && !scene.disk,
      "this takes root, and a kernel that lets it mount a file system",
    );
    const fix = await breakIt();
    let advice = "";
    try {
      const found = await wrong(stuckSeconds);
      expect(found.map(lineOf)).toEqual(finds.map((line) => expect.stringMatching(line)));
      advice = found[0]?.advice ?? "";
      const printed = JSON.stringify(found);
      for (const secret of [...SECRETS, "letters@", "reader@"])
        expect(printed).not.toContain(secret);
    } finally {
      await fix(advice);
    }
    expect((await wrong(stuckSeconds)).map(lineOf), "what is left").toEqual([]);
  });
});
