import { randomUUID } from "node:crypto";
import pTimeout from "p-timeout";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { mailCircuit, queryCounter } from "~/observability/metrics.server";
import { type Database, getDatabase } from "~db/client";
import {
  cancelReturnedMails,
  claimTransactionalMails,
  expireTransactionalMails,
  makePutOffMailsDue,
  requeueLostClaims,
  requeueMails,
} from "~db/queries/mail-claims";
import { spendMailTokens } from "~db/queries/mail-token-buckets";
import { deleteMailWorker, recordHeartbeat, takeOverMails } from "~db/queries/mail-workers";
import type { IssueSource } from "./campaign-lane.server";
import { CampaignLane, type CampaignMail, MAIL_RATE_BUCKET } from "./campaign-lane.server";
import { CircuitBreaker } from "./circuit-breaker";
import {
  type ClaimedMail,
  type MailComposers,
  MailDelivery,
  type ServerReport,
} from "./mail-delivery.server";
import type { MailTransport } from "./mail-transport";
import { openOutboxTransport } from "./outbox-transport.server";
import { ResultRecorder } from "./result-recorder.server";
import { openSmtpTransport } from "./smtp-transport.server";
import { onMailQueued } from "./wake-mail-worker.server";

const HEARTBEAT_MS = 3_000;

/**
 * Milliseconds without a heartbeat after which a worker stops sending. Well below `LEASE_SECONDS` in
 * `db/queries/mail-workers.ts`, after which other workers take over its mails.
 */
const FENCE_MS = 12_000;

/** For claims, the heartbeat and results. */
const DATABASE_CONNECTIONS = 4;

/**
 * Limits on the campaign mails a worker claims, as multiples of its connections. It claims when fewer than the
 * low-water mark wait for a connection, and up to the high-water mark. At most `MAX_IN_HAND` are unrecorded. A claim
 * takes one commit; with half of these numbers, commits of a few milliseconds halve the throughput.
 */
const LOW_WATER_MARK = 2;
const HIGH_WATER_MARK = 4;
const MAX_IN_HAND = 8;

/** How often to poll for mail that another process queued or that has become due, in milliseconds. */
const POLL_MS = 1_000;

/** How often to finish mails that no claim will find any more, in milliseconds. */
const EXPIRY_MS = 60_000;

/** How long recording the results may take after a stop ended the last attempt, in milliseconds. */
const RECORD_TIMEOUT_MS = 2_000;

export type MailWorkerOptions = {
  composers: MailComposers;
  /** Renders campaign issues. */
  issueSource: IssueSource;
};

export type MailWorker = {
  /** Resolves when the worker has sent its first heartbeat. */
  ready: Promise<void>;
  /**
   * Stops claiming, gives attempts in progress `timeoutMs` to finish, then aborts them. Unsent mails are requeued for
   * any worker.
   */
  stop: (timeoutMs: number) => Promise<void>;
};

/** Sends the database's queued mail until it is stopped. Any number of workers may share a queue. */
export function startMailWorker(options: MailWorkerOptions): MailWorker {
  const worker = new Worker(options);
  return worker.start();
}

/** Opens the mail server at `SMTP_URL`, or the outbox if that is not set. */
function openTransport(): MailTransport {
  const { SMTP_URL } = env();
  return SMTP_URL ? openSmtpTransport(SMTP_URL) : openOutboxTransport();
}

/** An instant on both clocks: the monotonic clock stops while a machine is suspended, the wall clock can be set. */
type Instant = { monotonic: number; wall: number };

const instantNow = (): Instant => ({ monotonic: performance.now(), wall: Date.now() });

const ageMs = ({ monotonic, wall }: Instant) =>
  Math.max(performance.now() - monotonic, Date.now() - wall);

class Worker {
  readonly #id = randomUUID();
  readonly #database: Database;
  readonly #recorder: ResultRecorder;
  readonly #campaigns: CampaignLane;
  readonly #delivery: MailDelivery;
  readonly #circuit = new CircuitBreaker();
  readonly #connections: number;
  /** All connections but one, which is reserved for transactional mail. */
  readonly #mostForCampaigns: number;
  readonly #rate: number | null;

  #transport: MailTransport | null = null;
  /** Attempts whose results are not recorded yet, and how many of them are campaign mails. */
  readonly #attempts = new Set<Promise<void>>();
  #campaignAttempts = 0;
  /** Connections in use, and how many of them by campaigns. */
  #busy = 0;
  #busyForCampaigns = 0;
  /** The ids of claimed mails whose results are not recorded yet. */
  readonly #inHand = new Set<string>();
  /** Claimed campaign mails waiting for a connection. */
  #buffer: CampaignMail[] = [];
  /** Connections that campaigns may use now. Halved when the server throttles, then slowly raised again. */
  #campaignConnections: number;
  /** Whether the lane's last claim came up short, so only a poll can find more. */
  #isTransactionalDrained = false;
  #isCampaignDrained = false;

  #heartbeatAt: Instant | null = null;
  #circuitOpenedAt: number | null = null;
  #circuitReason: string | null = null;
  /** Whether the circuit opened because logins fail, so a successful login closes it. */
  #isLoginFailing = false;
  #isBeating = false;
  #isStopping = false;
  /** Whether another claim is worthwhile because of an event since the last one. */
  #isSignaled = false;
  #endPause: () => void = () => {};

  constructor({ composers, issueSource }: MailWorkerOptions) {
    const { MAIL_CONNECTIONS, MAIL_RATE } = env();
    // a separate pool, so visitors and the worker never wait for each other's statements
    this.#database = getDatabase().reopen({
      max: DATABASE_CONNECTIONS,
      onQuery: queryCounter("mail"),
    });
    this.#recorder = new ResultRecorder(this.#database.db);
    this.#connections = MAIL_CONNECTIONS;
    this.#mostForCampaigns = this.#connections - 1;
    this.#campaignConnections = this.#mostForCampaigns;
    this.#rate = MAIL_RATE ?? null;
    this.#campaigns = new CampaignLane(this.#id, this.#database.db, issueSource, this.#rate);
    this.#delivery = new MailDelivery({
      workerId: this.#id,
      database: this.#database,
      recorder: this.#recorder,
      composers,
      campaigns: this.#campaigns,
    });
  }

  start(): MailWorker {
    const beating = this.#beat();
    const heartbeats = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    const fence = setInterval(() => this.#fenceIfSilent(), HEARTBEAT_MS / 3);
    const expiry = setInterval(() => void this.#finishUnclaimable(), EXPIRY_MS);
    onMailQueued(() => this.#lookAgain());
    const claiming = beating.then(async () => {
      await this.#finishUnclaimable();
      await this.#claimUntilStopped();
    });
    return {
      ready: beating,
      stop: async (timeoutMs) => {
        onMailQueued(null);
        this.#isStopping = true;
        this.#signal();
        await claiming;
        await pTimeout(Promise.all(this.#attempts), { milliseconds: timeoutMs, message: false });
        const unfinished = this.#attempts.size;
        if (unfinished > 0) log().warn({ unfinished }, "mail is still being sent; ending that");
        this.#transport?.close();
        await pTimeout(Promise.all(this.#attempts), {
          milliseconds: RECORD_TIMEOUT_MS,
          message: false,
        });
        clearInterval(heartbeats);
        clearInterval(fence);
        clearInterval(expiry);
        await this.#attemptTo(() => this.#release(this.#buffer.splice(0)));
        await this.#attemptTo((executor) => deleteMailWorker(this.#id, executor));
        this.#recorder.close();
        await this.#database.close();
      },
    };
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    await this.#renewLease();
    this.#isBeating = false;
  }

  /** Renews the lease and takes over the mails of dead workers. */
  async #renewLease(): Promise<void> {
    const at = instantNow();
    const before = this.#heartbeatAt;
    const circuitOpenForMs =
      this.#circuitOpenedAt === null ? null : performance.now() - this.#circuitOpenedAt;
    const worker = { id: this.#id, circuitOpenForMs, circuitReason: this.#circuitReason };
    const wasRecorded = await this.#attemptTo((executor) => recordHeartbeat(worker, executor));
    if (!wasRecorded || this.#isStopping) return;
    this.#heartbeatAt = at;
    await this.#attemptTo((executor) => requeueLostClaims(this.#id, [...this.#inHand], executor));
    // after a database outage all workers look dead, so give the others time for a heartbeat too
    if (before === null || ageMs(before) > 2 * HEARTBEAT_MS) return;
    await this.#attemptTo(async (executor) => {
      const count = await takeOverMails(executor);
      if (count === 0) return;
      log().warn({ count }, "mails of a worker that died are sent again; some may arrive twice");
      this.#lookAgain();
    });
  }

  async #finishUnclaimable(): Promise<void> {
    await this.#attemptTo(expireTransactionalMails);
    await this.#attemptTo(cancelReturnedMails);
    await this.#attemptTo(makePutOffMailsDue);
  }

  /** Whether other workers still count this one as alive. */
  #holdsLease(): boolean {
    return this.#heartbeatAt !== null && ageMs(this.#heartbeatAt) < FENCE_MS;
  }

  /** Stops sending without a lease, because other workers may soon take over this worker's mails. */
  #fenceIfSilent(): void {
    if (this.#holdsLease() || !this.#transport) return;
    log().error(
      { workerId: this.#id },
      "the mail worker cannot reach the database and stops sending until it can",
    );
    this.#transport.close();
    this.#transport = null;
  }

  async #claimUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      this.#fenceIfSilent();
      this.#isSignaled = false;
      const hasClaimed = await this.#claim();
      if (hasClaimed) continue;
      this.#probeIfIdle();
      await this.#pause();
    }
  }

  /** Claims mails for the free connections. Returns false if it claimed none. */
  async #claim(): Promise<boolean> {
    if (!this.#holdsLease() || this.#recorder.isStuck) return false;
    const allowed = this.#circuit.allowed(this.#connections, performance.now());
    const free = allowed - this.#busy;
    if (free <= 0) return false;
    let count = 0;
    await this.#attemptTo(async () => {
      count += await this.#claimTransactional(free);
      const isProbing = this.#circuit.isOpen;
      if (!isProbing || count === 0) count += await this.#claimCampaign(isProbing);
    });
    return count > 0;
  }

  /** Checks by login alone whether the mail server is back, when there is no mail to probe it with. */
  #probeIfIdle(): void {
    const isDue = this.#circuit.isOpen && this.#circuit.waitMs(performance.now()) === 0;
    const isIdle = this.#busy === 0 && this.#inHand.size === 0;
    if (!isDue || !isIdle || !this.#isLoginFailing || this.#isStopping || !this.#holdsLease())
      return;
    this.#transport ??= openTransport();
    const transport = this.#transport;
    if (!transport.verify) return;
    this.#busy += 1;
    void transport.verify().then((result) => {
      this.#busy -= 1;
      if (transport !== this.#transport || this.#isStopping) return;
      this.#learn(
        result.kind === "accepted"
          ? { verdict: "works", reply: null, advice: null }
          : { verdict: "unavailable", reply: result.code, advice: result.advice },
      );
      this.#signal();
    });
  }

  async #claimTransactional(free: number): Promise<number> {
    if (this.#isTransactionalDrained) return 0;
    this.#isTransactionalDrained = true;
    const mails = await claimTransactionalMails(this.#id, free, this.#database.db);
    if (mails.length === free) this.#isTransactionalDrained = false;
    for (const { id } of mails) this.#inHand.add(id);
    if (this.#isStopping) return this.#return(mails);
    for (const mail of mails) this.#begin(mail);
    if (this.#rate && mails.length > 0) {
      await spendMailTokens(MAIL_RATE_BUCKET, this.#rate, mails.length, this.#database.db);
    }
    return mails.length;
  }

  /** Claims ahead so that connections never wait for the database, but few enough that a kill leaves few in doubt. */
  async #claimCampaign(isProbing: boolean): Promise<number> {
    const ahead = this.#buffer.length;
    const inHand = ahead + this.#campaignAttempts;
    const wanted = isProbing
      ? 1 - inHand
      : Math.min(
          HIGH_WATER_MARK * this.#connections - ahead,
          MAX_IN_HAND * this.#connections - inHand,
        );
    const isWorthAClaim = isProbing
      ? wanted === 1
      : ahead < LOW_WATER_MARK * this.#connections && wanted > 0;
    if (this.#isCampaignDrained || !isWorthAClaim) return 0;
    const mails = await this.#campaigns.claim(wanted, performance.now());
    if (mails.length === 0) this.#isCampaignDrained = true;
    for (const { id } of mails) this.#inHand.add(id);
    if (this.#isStopping) return this.#return(mails);
    this.#buffer.push(...mails);
    this.#beginBuffered();
    return mails.length;
  }

  async #return(mails: ClaimedMail[]): Promise<0> {
    await this.#release(mails);
    return 0;
  }

  #beginBuffered(): void {
    while (this.#buffer.length > 0 && !this.#isStopping) {
      const most = this.#circuit.allowed(Math.floor(this.#campaignConnections), performance.now());
      if (this.#busyForCampaigns >= most || this.#busy >= this.#connections) return;
      const mail = this.#buffer.shift();
      if (mail) this.#begin(mail);
    }
  }

  #begin(mail: ClaimedMail): void {
    this.#transport ??= openTransport();
    const transport = this.#transport;
    const isCampaign = "campaignId" in mail;
    this.#busy += 1;
    if (isCampaign) {
      this.#busyForCampaigns += 1;
      this.#campaignAttempts += 1;
    }
    const onAnswered = (report: ServerReport | null) => {
      this.#busy -= 1;
      if (isCampaign) this.#busyForCampaigns -= 1;
      // an aborted attempt says nothing about the server
      if (report && transport === this.#transport && !this.#isStopping) this.#learn(report);
      this.#beginBuffered();
      this.#signal();
    };
    const attempt = this.#delivery
      .deliver(mail, transport, onAnswered)
      .catch((error: unknown) => {
        log().error({ err: error, mailId: mail.id }, "the delivery of a mail failed unexpectedly");
      })
      .then(() => {
        this.#attempts.delete(attempt);
        this.#inHand.delete(mail.id);
        if (isCampaign) this.#campaignAttempts -= 1;
        this.#signal();
      });
    this.#attempts.add(attempt);
  }

  /** Adjusts the next attempts to what the last one showed about the server. */
  #learn({ verdict, reply, advice }: ServerReport): void {
    const now = performance.now();
    if (verdict === "busy") {
      this.#campaignConnections = Math.max(1, this.#campaignConnections / 2);
      this.#campaigns.pauseWhileBusy(now);
    } else if (verdict === "works") {
      const more = this.#campaignConnections + 1 / this.#campaignConnections;
      this.#campaignConnections = Math.min(this.#mostForCampaigns, more);
    }
    const change = this.#circuit.record(verdict, now);
    // a server that refuses the sender has accepted the login
    if (verdict === "unavailable") this.#isLoginFailing = !reply?.endsWith("MAIL FROM");
    if (verdict === "drops") this.#isLoginFailing = false;
    if (change) mailCircuit.set(change === "opened" ? 1 : 0);
    if (change === "opened") {
      this.#circuitOpenedAt = now;
      this.#circuitReason = reply;
      log().error(
        { reply },
        `${this.#destination()} cannot be used; mail waits for it. ${advice ?? "See its log for the reason."}`,
      );
    } else if (change === "closed") {
      const seconds = Math.round((now - (this.#circuitOpenedAt ?? now)) / 1000);
      this.#circuitOpenedAt = null;
      this.#circuitReason = null;
      this.#lookAgain();
      log().info({ seconds }, `${this.#destination()} can be used again`);
    }
    if (this.#circuit.isOpen) void this.#attemptTo(() => this.#release(this.#buffer.splice(0)));
  }

  #destination(): string {
    return env().SMTP_URL ? "the mail server" : "the outbox";
  }

  /** Requeues mails of which nothing was sent. */
  async #release(mails: ClaimedMail[]): Promise<void> {
    if (mails.length === 0) return;
    const ids = mails.map(({ id }) => id);
    // before the update, so they count as lost claims if it fails
    for (const id of ids) this.#inHand.delete(id);
    const untouched = { delayMs: 0, countsAttempt: false, inDoubt: false, reply: null };
    await requeueMails(ids, this.#id, untouched, this.#database.db);
  }

  #lookAgain(): void {
    this.#isTransactionalDrained = false;
    this.#isCampaignDrained = false;
    this.#signal();
  }

  #signal(): void {
    this.#isSignaled = true;
    this.#endPause();
  }

  /** Waits until a connection is free, this process queued mail, or it is time to poll. */
  #pause(): Promise<void> {
    const idleMs = POLL_MS * (0.75 + Math.random() / 2);
    const probeMs = this.#circuit.waitMs(performance.now());
    const waitMs = probeMs > 0 ? Math.min(probeMs, idleMs) : this.#campaigns.waitMs(idleMs);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#lookAgain(), waitMs);
      this.#endPause = () => {
        clearTimeout(timer);
        this.#endPause = () => {};
        resolve();
      };
      if (this.#isSignaled) this.#endPause();
    });
  }

  /** Runs a statement that is repeated anyway. Logs and returns false if it fails. */
  async #attemptTo(work: (executor: Database["db"]) => Promise<unknown>): Promise<boolean> {
    try {
      await work(this.#database.db);
      return true;
    } catch (error) {
      if (!this.#isStopping) log().error({ err: error }, "the mail queue cannot be used; retrying");
      return false;
    }
  }
}
