// Sends a newsletter to an SMTP server on this machine, and beside it, in the same run, the same mails in a loop
// around nodemailer. Measures how fast that is and what visitors notice of it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../support/median.mjs";
import { addSubscribers, createDatabase } from "./databases.mjs";
import { measure } from "./load.mjs";
import {
  cpuSeconds,
  residentMemory,
  runBareMailer,
  runCommand,
  startSite,
  startSmtpSink,
} from "./processes.mjs";

/** As many as nodemailer's pool opens by default, and the site for campaigns. */
const CONNECTIONS = 5;
const IDLE_SECONDS = 5;
const MEMORY_INTERVAL_MS = 250;

const LANDING = {
  path: "/",
  headers: { "Accept-Encoding": "br" },
  statuses: [200],
  connections: 4,
  rate: 50,
};

/** A letter of four pages. */
const TEXT =
  "There is a gate at the end of my street, and on most mornings it is the hardest part.\n\n".repeat(
    40,
  );

/**
 * How one way of sending did: mails a second, and milliseconds of CPU per mail of its own process and of the SMTP server.
 *
 * @typedef {{ rate: number, cpu: number, sinkCpu: number }} Sending
 * @typedef {{ bare: Sending, ours: Sending, ratio: number, idleP99: number, sendingP99: number, memory: [number, number] }} Round
 * @typedef {{ mails: number, bytes: number, rounds: Round[] }} NewsletterRun
 */

/**
 * @param {{ dataDir: string, secret: string, mails: number, rounds: number, keep: <S extends { stop: () => Promise<void> }>(server: S) => S }} options
 *   `dataDir` is that of a running site, whose database server is used
 * @returns {Promise<NewsletterRun>}
 */
export async function measureNewsletter({ dataDir, secret, mails, rounds, keep }) {
  const sink = keep(await startSmtpSink());
  const variables = {
    DATABASE_URL: await createDatabase(dataDir, "bench_newsletter"),
    DATA_DIR: dataDir,
    SESSION_SECRET: secret,
    SMTP_URL: sink.url,
    MAIL_FROM: "Bench <letters@bench.test>",
  };
  const site = keep(await startSite(variables));
  await addSubscribers(variables.DATABASE_URL, mails);

  // the first issue warms everything up, and says what the mails are like that the loop has to send
  const { message } = await sendIssue("warm-up", 0);
  /** @type {Round[]} */
  const done = [];
  for (let round = 1; round <= rounds; round++) {
    const before = await sendBare(message);
    const idle = await measure(site, LANDING, IDLE_SECONDS);
    const { message: _, ...ours } = await sendIssue(`issue-${round}`, mails / before.rate);
    const after = await sendBare(message);
    const bare = mean(before, after);
    const result = { bare, ...ours, ratio: ours.ours.rate / bare.rate, idleP99: idle.p99 };
    console.log("newsletter", JSON.stringify(result));
    done.push(result);
  }
  return { mails, bytes: message.length, rounds: done };

  /** @param {string} text */
  async function sendBare(text) {
    const sinkCpu = cpuSeconds(sink.pid) ?? 0;
    const cpu = await runBareMailer({
      url: sink.url,
      mails,
      connections: CONNECTIONS,
      message: text,
    });
    return sending(await takeSpan(), cpu, (cpuSeconds(sink.pid) ?? 0) - sinkCpu);
  }

  /**
   * Sends an issue while the landing page is asked for, for this many seconds.
   *
   * @param {string} slug
   * @param {number} seconds
   */
  async function sendIssue(slug, seconds) {
    const file = join(dataDir, `${slug}.md`);
    writeFileSync(
      file,
      `---\nsubject: A letter\nslug: ${slug}\npreview: A letter.\n---\n\n${TEXT}`,
    );
    const before = { site: cpuSeconds(site.pid) ?? 0, sink: cpuSeconds(sink.pid) ?? 0 };
    await runCommand(["newsletter", "send", file, "--yes"], { LOG_LEVEL: "error", ...variables });
    const loaded = seconds > 0 ? measure(site, LANDING, seconds) : null;
    const memory = [];
    for (;;) {
      const count = Number(await sink.ask("count"));
      memory.push(residentMemory(site.pid) ?? 0);
      if (count >= mails) break;
      await new Promise((resolve) => setTimeout(resolve, MEMORY_INTERVAL_MS));
    }
    const cpu = (cpuSeconds(site.pid) ?? 0) - before.site;
    const sinkCpu = (cpuSeconds(sink.pid) ?? 0) - before.sink;
    const span = await takeSpan();
    const third = Math.ceil(memory.length / 3);
    return {
      ours: sending(span, cpu, sinkCpu),
      sendingP99: (await loaded)?.p99 ?? 0,
      memory: /** @type {[number, number]} */ ([
        median(memory.slice(0, third)),
        median(memory.slice(-third)),
      ]),
      message: span.lastMessage,
    };
  }

  /** @returns {Promise<{ count: number, milliseconds: number, lastMessage: string }>} */
  function takeSpan() {
    return sink.ask("takeSpan");
  }
}

/**
 * @param {{ count: number, milliseconds: number }} span
 * @param {number} cpu
 * @param {number} sinkCpu
 * @returns {Sending}
 */
function sending({ count, milliseconds }, cpu, sinkCpu) {
  return {
    rate: (count / milliseconds) * 1_000,
    cpu: (cpu / count) * 1_000,
    sinkCpu: (sinkCpu / count) * 1_000,
  };
}

/**
 * @param {Sending} a
 * @param {Sending} b
 * @returns {Sending}
 */
function mean(a, b) {
  return {
    rate: (a.rate + b.rate) / 2,
    cpu: (a.cpu + b.cpu) / 2,
    sinkCpu: (a.sinkCpu + b.sinkCpu) / 2,
  };
}
