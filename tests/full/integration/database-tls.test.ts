import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseEnvironment } from "~/env.server";
import { connectDatabase, openDatabase } from "~db/client";
import { parseSocketAddress } from "~db/database-url";
import { chooseSystemUser } from "~db/embedded/system-user";
import { OperatorError } from "~db/operator-error";
import { type Authority, type Certificate, createAuthority } from "../../support/certificates";
import { fastFolder } from "../../support/fast-folder.mjs";
import { OwnPostgres } from "../../support/own-postgres";
import { createTestDatabase } from "../../support/postgres";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

const HBA = `
local   all all              scram-sha-256
hostssl all only_encrypted   127.0.0.1/32 trust
hostssl all only_encrypted   ::1/128      trust
hostnossl all only_plain     127.0.0.1/32 trust
hostssl all certified        127.0.0.1/32 cert
host    all golden_path      127.0.0.1/32 scram-sha-256
`;

const canTest = serverProgram("openssl") !== null;

describe.skipIf(!canTest)(`TLS to the database${unlessInstalled("openssl")}`, () => {
  let folder: string;
  let ours: Authority;
  let theirs: Authority;
  let client: Certificate;
  let encrypted: OwnPostgres;
  let plain: OwnPostgres;

  beforeAll(async () => {
    folder = mkdtempSync(join(fastFolder(), "golden-path-tls-"));
    chmodSync(folder, 0o755);
    ours = createAuthority(folder, "ours");
    theirs = createAuthority(folder, "theirs");
    client = ours.issue("certified");
    const server = ours.issue("localhost");
    const hba = join(folder, "pg_hba.conf");
    writeFileSync(hba, HBA);
    const user = await chooseSystemUser(join(folder, "none"), "postgres");
    if (user) for (const file of [server.key, hba]) chownSync(file, user.uid, user.gid);
    encrypted = await OwnPostgres.create(undefined, {
      ssl: "on",
      ssl_cert_file: server.certificate,
      ssl_key_file: server.key,
      ssl_ca_file: ours.root,
      hba_file: hba,
    });
    plain = await OwnPostgres.create();
    const database = openDatabase(encrypted.url);
    for (const role of ["only_encrypted", "only_plain", "certified"]) {
      await database.db.execute(sql.raw(`create role ${role} login`));
    }
    await database.close();
  });
  afterAll(async () => {
    await encrypted?.remove();
    await plain?.remove();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** Returns an address of one of the servers, as an operator writes it. */
  function address(
    parameters: Record<string, string>,
    {
      user,
      host = "localhost",
      of = encrypted,
    }: { user?: string; host?: string; of?: OwnPostgres } = {},
  ): string {
    const url = new URL(of.url);
    url.hostname = host;
    if (user) {
      url.username = user;
      url.password = "";
    }
    url.search = new URLSearchParams(parameters).toString();
    return url.href;
  }

  /** Connects as the program does at its start; returns whether the connection is encrypted, or why it failed. */
  async function connect(url: string): Promise<string> {
    try {
      parseEnvironment({ DATABASE_URL: url });
      const database = await connectDatabase(url);
      try {
        const [row] = await database.db.execute<{ ssl: boolean; client: string | null }>(
          sql`select ssl, client_dn as client from pg_stat_ssl where pid = pg_backend_pid()`,
        );
        return `${row?.ssl ? "encrypted" : "plain"}${row?.client ? ` as ${row.client}` : ""}`;
      } finally {
        await database.close();
      }
    } catch (error) {
      if (error instanceof OperatorError) return error.message;
      throw error;
    }
  }

  it.each([
    [{}, "encrypted"],
    [{ sslmode: "disable" }, "plain"],
    [{ sslmode: "allow" }, "plain"],
    [{ sslmode: "prefer" }, "encrypted"],
    [{ sslmode: "require" }, "encrypted"],
    [{ ssl: "true" }, "encrypted"],
  ])("with %o and no root certificate is %s", async (parameters, expected) => {
    expect(await connect(address(parameters))).toBe(expected);
  });

  it("is tried both ways in 'allow' and 'prefer', as the server's rules require", async () => {
    const only = (user: string) => ({ user, host: "127.0.0.1" });
    expect(await connect(address({ sslmode: "allow" }, only("only_encrypted")))).toBe("encrypted");
    expect(await connect(address({ sslmode: "prefer" }, only("only_plain")))).toBe("plain");
    expect(await connect(address({ sslmode: "require" }, only("only_plain")))).toMatch(
      /rejects user 'only_plain'.*SSL encryption/,
    );
    expect(await connect(address({ sslmode: "disable" }, only("only_encrypted")))).toMatch(
      /rejects user 'only_encrypted'.*no encryption/,
    );
  });

  it("is not used in 'prefer' if the server has none, and the stronger modes fail", async () => {
    const at = { of: plain, host: "127.0.0.1" };
    expect(await connect(address({}, at))).toBe("plain");
    for (const sslmode of ["require", "verify-ca", "verify-full"]) {
      expect(await connect(address({ sslmode }, at))).toMatch(
        new RegExp(`: the server offers no TLS, which sslmode=${sslmode} asks for\\.$`),
      );
    }
  });

  it.each([
    ["verify-full", "localhost", "ours", "encrypted"],
    ["verify-ca", "127.0.0.1", "ours", "encrypted"],
    [
      "verify-full",
      "127.0.0.1",
      "ours",
      /the server is not trusted \(IP: 127\.0\.0\.1 is not in the cert's list/,
    ],
    ["verify-full", "localhost", "theirs", /the server is not trusted \(.*certificate/],
    ["verify-ca", "localhost", "theirs", /the server is not trusted \(.*certificate/],
    // as in libpq, if there is a root certificate
    ["require", "localhost", "theirs", /the server is not trusted \(.*certificate/],
    ["require", "127.0.0.1", "ours", "encrypted"],
  ] as const)(
    "in '%s' at %s with the root certificate %s: %s",
    async (sslmode, host, authority, expected) => {
      const { root: sslrootcert } = authority === "ours" ? ours : theirs;
      const found = await connect(address({ sslmode, sslrootcert }, { host }));
      if (typeof expected === "string") expect(found).toBe(expected);
      else expect(found).toMatch(expected);
    },
  );

  it("checks the name with 'system', and then trusts no private authority", async () => {
    expect(await connect(address({ sslrootcert: "system" }))).toMatch(/the server is not trusted/);
    expect(await connect(address({ sslmode: "verify-full" }))).toMatch(/the server is not trusted/);
  });

  it("sends the client's certificate, also with an encrypted key", async () => {
    const sslmode = "verify-ca";
    const as = { user: "certified", host: "127.0.0.1" };
    const { root: sslrootcert } = ours;
    const { certificate: sslcert, key: sslkey } = client;
    expect(await connect(address({ sslmode, sslrootcert, sslcert, sslkey }, as))).toBe(
      "encrypted as /CN=certified",
    );
    const locked = ours.issue("certified", { password: "open sesame" });
    const withLocked = { sslmode, sslrootcert, sslcert: locked.certificate, sslkey: locked.key };
    expect(await connect(address({ ...withLocked, sslpassword: "open sesame" }, as))).toBe(
      "encrypted as /CN=certified",
    );
    expect(await connect(address({ ...withLocked, sslpassword: "wrong" }, as))).toMatch(
      /sslcert, sslkey and sslpassword do not fit together/,
    );
    expect(await connect(address({ sslmode, sslrootcert }, as))).toMatch(
      /valid client certificate/,
    );
    const foreign = theirs.issue("certified");
    // the server's message may be lost when it closes the connection at once
    expect(
      await connect(
        address({ sslmode, sslrootcert, sslcert: foreign.certificate, sslkey: foreign.key }, as),
      ),
    ).toMatch(
      /the encrypted connection failed \(.*unknown ca|closed the connection .*client's certificate/i,
    );
  });

  it("checks each of several hosts against its own certificate", async () => {
    const url = address({ sslmode: "verify-full", sslrootcert: ours.root });
    const { port } = new URL(url);
    // both lead to the same server, whose certificate is only for the second name
    const both = url.replace("@localhost:", `@127.0.0.1:${port},localhost:`);
    expect(await connect(both)).toBe("encrypted");
    const none = url.replace("@localhost:", `@127.0.0.1:${port},127.0.0.1:`);
    const problem = `127\\.0\\.0\\.1:${port}: the server is not trusted`;
    expect(await connect(none)).toMatch(new RegExp(`${problem} .*${problem} `));
  });

  it.each<[Record<string, string>, string]>([
    [
      { sslmode: "verify_full" },
      "for sslmode one of disable, allow, prefer, require, verify-ca, verify-full",
    ],
    [{ sslmode: "" }, "for sslmode one of"],
    [{ host: "db.example" }, "the host before the path"],
    [{ port: "5432" }, "the port behind the host"],
    [{ target_session_attrs: "master" }, "for target_session_attrs one of read-write"],
    [{ sslmod: "require" }, 'no parameter "sslmod": those known are sslmode, sslrootcert'],
    [{ sslcert: "/etc/hostname" }, "both sslcert and sslkey, or neither"],
    [
      { sslmode: "require", sslrootcert: "system" },
      "sslmode=verify-full beside sslrootcert=system",
    ],
    [
      { channel_binding: "require" },
      "for channel_binding nothing, because channel binding is not supported",
    ],
    [{ ssl: "yes" }, "for ssl 'true'"],
  ])("stops the start with one sentence for %o", async (parameters, sentence) => {
    const message = await connect(address(parameters));
    expect(message).toMatch(/^DATABASE_URL: found a value of \d+ characters, wanted [^\n]*\.$/);
    expect(message).toContain(sentence);
  });

  it.skipIf(process.platform === "win32")(
    "is not used on a Unix socket, which does not need it",
    async () => {
      const { url, drop } = await createTestDatabase();
      const socket = parseSocketAddress(url);
      if (socket) {
        expect(await connect(`${url.split("?")[0]}?sslmode=verify-full`)).toBe("plain");
      } else {
        expect(await connect(`${url.split("?")[0]}?sslmode=verify-full`)).toContain(
          "offers no TLS",
        );
      }
      await drop();
    },
  );
});
