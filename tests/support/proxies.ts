import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Agent, request } from "node:https";
import { join, resolve } from "node:path";
import { createAuthority } from "./certificates";
import { eventually } from "./eventually";
import type { Answer, Sent } from "./http-client";
import { freePorts } from "./ports.mjs";
import { serverProgram } from "./server-programs.mjs";

const CONFIGURATIONS = resolve(import.meta.dirname, "../../docs/deploy");

/** The name the configurations are written for. */
export const SITE_HOST = "goldenpath.example";

/** The proxies that docs/deploying.md describes. */
export const PROXIES = ["nginx", "caddy", "haproxy"] as const;
export type ProxyName = (typeof PROXIES)[number];

/** A proxy that runs with its configuration of docs/deploy/, unchanged except for ports and certificates. */
export type RunningProxy = {
  name: ProxyName;
  httpPort: number;
  httpsPort: number;
  output(): string;
  stop(): Promise<void>;
};

/** Starts a proxy in front of a port; its files are in the folder. */
export async function startProxy(
  name: ProxyName,
  folder: string,
  sitePort: number,
): Promise<RunningProxy> {
  const httpPort = await freePorts(2);
  const httpsPort = httpPort + 1;
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const { parameters, env } = PREPARE[name]({ home, httpPort, httpsPort, sitePort });
  const child = spawn(serverProgram(name) ?? name, parameters, {
    cwd: home,
    env: { PATH: process.env.PATH, ...env } as never,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const proxy = {
    name,
    httpPort,
    httpsPort,
    output: () => text,
    stop: () => end(child),
  };
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${text}`);
    const { status } = await askProxy(proxy, "/healthz");
    if (status !== 200) throw new Error(`${name} answers ${status}: ${text}`);
  });
  return proxy;
}

type Place = { home: string; httpPort: number; httpsPort: number; sitePort: number };

/** Writes each proxy's configuration, and returns the parameters and variables to start it with. */
const PREPARE: Record<
  ProxyName,
  (place: Place) => { parameters: string[]; env?: Record<string, string> }
> = {
  nginx: (place) => {
    const { certificate, key } = certify(place.home);
    const site = configuration("nginx.conf", place, [
      [
        /listen (\[::\]:)?(80|443)( ssl http2)?;/g,
        (_all, six, port, ssl = "") =>
          six ? "" : `listen 127.0.0.1:${port === "80" ? place.httpPort : place.httpsPort}${ssl};`,
      ],
      [/\/etc\/letsencrypt\/live\/goldenpath\.example\/fullchain\.pem/g, () => certificate],
      [/\/etc\/letsencrypt\/live\/goldenpath\.example\/privkey\.pem/g, () => key],
      [/127\.0\.0\.1:3000/g, () => `127.0.0.1:${place.sitePort}`],
    ]);
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${join(place.home, kind)};`,
    );
    const isRoot = process.getuid?.() === 0;
    const main = join(place.home, "main.conf");
    writeFileSync(
      main,
      `daemon off; pid ${join(place.home, "pid")}; error_log stderr warn; ${isRoot ? "user root;" : ""} worker_processes 1;
       events { worker_connections 1024; }
       http { access_log off; ${folders.join(" ")} include ${site}; }`,
    );
    return { parameters: ["-c", main, "-p", place.home] };
  },
  caddy: (place) => {
    const file = configuration("Caddyfile", place, []);
    // replacements for the internet, which a test's machine lacks: other ports, and Caddy's own authority
    const global = `{\n\tadmin off\n\thttp_port ${place.httpPort}\n\thttps_port ${place.httpsPort}\n\tdefault_bind 127.0.0.1\n\tlocal_certs\n\tskip_install_trust\n}\n\n`;
    writeFileSync(file, global + readFileSync(file, "utf8"));
    return {
      parameters: ["run", "--config", file, "--adapter", "caddyfile"],
      env: {
        // as compose.yaml sets it
        CADDY_UPSTREAM: `127.0.0.1:${place.sitePort}`,
        HOME: place.home,
        XDG_DATA_HOME: place.home,
        XDG_CONFIG_HOME: place.home,
      },
    };
  },
  haproxy: (place) => {
    const { certificate, key } = certify(place.home);
    const both = join(place.home, "both.pem");
    writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
    const file = configuration("haproxy.cfg", place, [
      // only root can become another user
      [/( {4}(user|group|chroot) .*\n)+/, (lines) => (process.getuid?.() === 0 ? lines : "")],
      [/bind :80\n/g, () => `bind 127.0.0.1:${place.httpPort}\n`],
      [/bind :443 /g, () => `bind 127.0.0.1:${place.httpsPort} `],
      [/\/etc\/haproxy\/goldenpath\.example\.pem/g, () => both],
      [/127\.0\.0\.1:3000/g, () => `127.0.0.1:${place.sitePort}`],
    ]);
    return { parameters: ["-f", file] };
  },
};

type Replacement = [RegExp, (...parts: string[]) => string];

/** Copies a configuration with these parts replaced. Each must be there, or the test would test another file. */
function configuration(name: string, { home }: Place, replacements: Replacement[]): string {
  let text = readFileSync(join(CONFIGURATIONS, name), "utf8");
  for (const [pattern, replacement] of replacements) {
    if (!text.match(pattern)) throw new Error(`${name} has nothing that matches ${pattern}.`);
    text = text.replace(pattern, replacement);
  }
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

function certify(home: string) {
  return createAuthority(home, "authority").issue(SITE_HOST, { also: [`www.${SITE_HOST}`] });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(timer);
}

/** The root certificate with which clients trust this proxy. */
export function rootOf(folder: string, name: ProxyName): string {
  const file =
    name === "caddy" ? "caddy/caddy/pki/authorities/local/root.crt" : `${name}/authority.crt`;
  return readFileSync(join(folder, file), "utf8");
}

export type AskedByTls = Sent & { host?: string; from?: string; ca?: string; agent?: Agent };

/** A request over TLS to the site's name, as a browser with no other headers would send it. */
export function askProxy(
  { httpsPort }: Pick<RunningProxy, "httpsPort">,
  path: string,
  {
    method,
    headers = {},
    form,
    json,
    body,
    cookie,
    host = SITE_HOST,
    from,
    ca,
    agent,
  }: AskedByTls = {},
): Promise<Answer> {
  const content =
    body ?? (form ? new URLSearchParams(form).toString() : json ? JSON.stringify(json) : undefined);
  return new Promise((done, fail) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: httpsPort,
        servername: host,
        path,
        method: method ?? (content === undefined ? "GET" : "POST"),
        agent,
        ...(ca ? { ca } : { rejectUnauthorized: false }),
        ...(from ? { localAddress: from } : {}),
        headers: {
          Host: host,
          ...(form && { "Content-Type": "application/x-www-form-urlencoded" }),
          ...(json !== undefined && { "Content-Type": "application/json" }),
          ...(content !== undefined && { "Content-Length": Buffer.byteLength(content) }),
          ...(cookie && { Cookie: cookie }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", fail);
        incoming.on("end", () => {
          const bytes = Buffer.concat(chunks);
          done({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            cookies: incoming.headers["set-cookie"] ?? [],
            body: bytes,
            text: bytes.toString("utf8"),
          });
        });
      },
    );
    outgoing.on("error", fail);
    outgoing.end(content);
  });
}
