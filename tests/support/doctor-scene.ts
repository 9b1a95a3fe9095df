import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setEnvironment } from "~/env.server";
import { backupName } from "~/features/backup/backup-name";
import { setUpStripe } from "~/features/billing/stripe-setup.server";
import type { Finding } from "~/features/checks/answer";
import { examineSite } from "~/features/checks/examine-site.server";
import { startStripeSandbox } from "~/sandbox/stripe/server.server";
import { openDatabase } from "~/server/open-database.server";
import { connectDatabase, setDatabase } from "~db/client";
import type { Connection } from "~db/connection";
import { migrateDatabase } from "~db/migrate";
import { openConnection } from "~db/open-connection";
import { type Authority, createAuthority } from "./certificates";
import { type Front, startFront } from "./doctor-front";
import { SMALL_EDITION, writeEdition } from "./library";
import { type NameServer, startNameServer } from "./name-server";
import { OwnPostgres } from "./own-postgres";
import { temporaryDirectory } from "./program";
import { SESSION_SECRET } from "./session-secret";
import { mountSmallDisk, type SmallDisk } from "./small-disk";
import { startSmtpServer, type TestSmtpServer } from "./smtp";
import { SANDBOX_KEY, SANDBOX_PRICE, SANDBOX_WEBHOOK_SECRET } from "./stripe-sandbox";

export const HOST = "book.example";

/** Every secret of the scene, which no finding may show. */
export const SECRETS = ["right-password", "mail-password", SANDBOX_KEY, "whsec_", "a secret that"];

/** A healthy site of real parts, which tests break one by one. */
export type DoctorScene = {
  variables: Record<string, string>;
  postgres: OwnPostgres;
  front: Front;
  names: NameServer;
  smtp: TestSmtpServer;
  authority: Authority;
  /** The disk of DATA_DIR; null if none can be mounted. */
  disk: SmallDisk | null;
  stripe: Awaited<ReturnType<typeof startStripeSandbox>>;
  folder: string;
  /** Changes settings, and restarts the site with them. */
  set(variables: Record<string, string>): void;
  /** Maps a port to the one that takes its place here. */
  portFor: (port: number) => number;
  /** Runs a statement as superuser in the site's database. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** A session of the site's own role, left open. */
  session(applicationName?: string): Promise<Connection>;
  examine(stuckSeconds?: number): Promise<Finding[]>;
  /** Runs `stripe setup` on the site's database. */
  setUpStripe: typeof setUpStripe;
  close(): Promise<void>;
};

/** The row of a running mail worker, which counts as running for the next five minutes. */
export const WORKER_RUNS =
  "insert into mail_workers (id, heartbeat_at) values (gen_random_uuid(), now() + interval '4 minutes')";

export const NO_LIMIT = { prepare: false, asArrays: false, timeout: null } as const;

export async function openDoctorScene(): Promise<DoctorScene> {
  const home = temporaryDirectory();
  const folder = mkdtempSync(join(tmpdir(), "golden-path-doctor-"));
  const disk = mountSmallDisk(64);
  const authority = createAuthority(folder, "authority");
  const [postgres, names, smtp, front, stripe] = await Promise.all([
    OwnPostgres.create(undefined, { max_connections: "30" }),
    startNameServer({
      "A localhost": ["127.0.0.1"],
      [`A ${HOST}`]: ["127.0.0.1"],
      [`TXT ${HOST}`]: ["v=spf1 a -all"],
      [`TXT _dmarc.${HOST}`]: ["v=DMARC1; p=reject"],
    }),
    startSmtpServer({ login: { user: "book", password: "mail-password" } }),
    startFront(authority.issue(HOST)),
    startStripeSandbox({
      port: 0,
      stateFile: null,
      secretKey: SANDBOX_KEY,
      webhookSecret: SANDBOX_WEBHOOK_SECRET,
      webhookUrl: null,
      price: SANDBOX_PRICE,
    }),
  ]);
  const url = new URL(postgres.url);
  const superuserIn = (database: string) => {
    const address = new URL(url);
    address.pathname = `/${database}`;
    return address.href;
  };
  const runIn = async (database: string, statement: string) => {
    const url = superuserIn(database);
    const connection = await openConnection({ url, applicationName: "superuser" });
    try {
      return [...(await connection.query(statement, [], NO_LIMIT))];
    } finally {
      await connection.end();
    }
  };
  await runIn("postgres", "create role book login password 'right-password'");
  await runIn("postgres", "create database book owner book");

  const dataDir = disk?.path ?? home.path;
  mkdirSync(join(dataDir, "data"), { mode: 0o700 });
  const site = new URL(superuserIn("book"));
  site.username = "book";
  site.password = "right-password";
  const scene: DoctorScene = {
    variables: {
      PORT: String(front.sitePort),
      PUBLIC_URL: `https://${HOST}`,
      TRUST_PROXY: "1",
      SECURITY_CONTACT: "security@book.example",
      SESSION_SECRET,
      DATABASE_URL: site.href,
      DATA_DIR: join(dataDir, "data"),
      CONTENT_DIR: join(folder, "content"),
      BACKUP_DIR: join(folder, "backups"),
      BACKUP_EVERY: "1d",
      SMTP_URL: smtp.url,
      MAIL_FROM: `The Golden Path <letters@${HOST}>`,
      STRIPE_SECRET_KEY: SANDBOX_KEY,
      STRIPE_API_BASE: `http://localhost:${stripe.port}`,
      LOG_LEVEL: "silent",
    },
    postgres,
    front,
    names,
    smtp,
    authority,
    disk,
    stripe,
    folder,
    set: (variables) => {
      Object.assign(scene.variables, variables);
      // a changed rate creates a new Stripe client, without a cache
      scene.variables.STRIPE_CALLS_PER_SECOND = String(1_000 + ++starts);
      setEnvironment(scene.variables, { partialStripe: true });
    },
    portFor: (port) => ({ 443: front.httpsPort, 80: front.httpPort })[port] ?? port,
    sql: (statement) => runIn("book", statement),
    session: (applicationName = "psql") => openConnection({ url: site.href, applicationName }),
    examine: async (stuckSeconds) => {
      const authorities = readFileSync(authority.root, "utf8");
      const { portFor } = scene;
      return examineSite({
        release: "1.0.0",
        node: "24.1.0",
        open: () =>
          openDatabase("command", undefined, {
            migrate: false,
            limits: { max: 2, statementTimeout: 5_000 },
          }),
        network: { nameServers: [names.address], authorities, portFor },
        stuckSeconds,
      });
    },
    setUpStripe: async () => {
      const database = await connectDatabase(site.href);
      setDatabase(database);
      try {
        return await setUpStripe();
      } finally {
        setDatabase(null);
        await database.close();
      }
    },
    close: async () => {
      await Promise.all([front.close(), names.close(), smtp.close(), stripe.close()]);
      await postgres.remove();
      disk?.remove();
      home.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  writeEdition(join(folder, "content"), { ...SMALL_EDITION, "site.yml": "title: Gates\n" });
  mkdirSync(join(folder, "backups"));
  writeFileSync(join(folder, "backups", backupName(new Date())), "");
  scene.set({});
  const database = await connectDatabase(site.href);
  await migrateDatabase(database);
  await database.close();
  const { priceId, webhook } = await scene.setUpStripe();
  if (webhook.kind !== "new") throw new Error(webhook.kind);
  scene.set({ STRIPE_PRICE_ID: priceId, STRIPE_WEBHOOK_SECRET: webhook.secret });
  await scene.sql(WORKER_RUNS);
  return scene;
}

let starts = 0;
