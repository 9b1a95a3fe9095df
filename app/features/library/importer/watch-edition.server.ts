import { log } from "~/observability/log.server";
import {
  deleteUnusedEditions,
  findLastUsedEdition,
  findStoredFiles,
  touchEdition,
} from "~db/queries/editions";
import { currentEdition, setCurrentEdition } from "../current-edition.server";
import type { Edition } from "../edition";
import { mediaName } from "../media-name";
import { deleteUnusedMedia } from "../media-store.server";
import { type FolderListing, holdsEdition, listFolder } from "./edition-folder.server";
import { BrokenEdition, describeProblem } from "./edition-problem";
import { type EditionState, setEditionState } from "./edition-state.server";
import { EditionChanging, importEdition, loadEdition } from "./import-edition.server";

/** Interval between checks of the folder, in milliseconds. A change is imported once the folder is quiet that long. */
const INTERVAL_MS = 2_000;

/** The pause after a scan is at least this many times the scan's duration, to spare slow disks. */
const SCAN_TIME_FACTOR = 50;

/** The same for the pause before a failed import is retried. */
const RETRY_TIME_FACTOR = 10;

const HOUR_MS = 60 * 60 * 1000;

/** How long an unused edition is stored. The next one may reuse its renderings. */
const UNUSED_LIFE_MS = 24 * HOUR_MS;

/** Maximum number of mistakes logged per edition. */
const MAX_LOGGED_PROBLEMS = 20;

type Options = {
  /** The edition's folder. */
  folder: string;
  /** Whether the operator has set it and so expects it to exist. */
  isFolderSet: boolean;
  /** Folder of the edition that ships with the program, for a site without its own. */
  sampleFolder: string;
  intervalMs?: number;
};

/**
 * Serves the edition in a folder, and every later version of it, until the returned function is called. If an edition
 * cannot be imported, the last good one stays, even after a restart. The log names each mistake with its line.
 */
export function startEditionWatch(options: Options): () => Promise<void> {
  const watch = new EditionWatch(options);
  return watch.start();
}

class EditionWatch {
  /** Signature of the folder that was last imported or found broken. */
  #handled: string | null = null;
  /** The result for that folder. */
  #outcome: EditionState = "unknown";
  /** Signature of a folder that may still be changing. */
  #pending: string | null = null;
  #sampleDigest: string | null = null;
  /** Whether the edition served before this process started has been loaded. */
  #knowsLast = false;
  #lastFailure: string | null = null;
  #cleanedUpAt = Date.now();
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: Options) {}

  start(): () => Promise<void> {
    this.#running = this.#look(true);
    return async () => {
      this.#stopped = true;
      clearTimeout(this.#timer);
      await this.#running;
    };
  }

  async #look(isFirst = false): Promise<void> {
    const startedAt = performance.now();
    let delay = this.options.intervalMs ?? INTERVAL_MS;
    try {
      await this.#loadLast();
      const scannedAt = performance.now();
      const listing = await listFolder(this.options.folder);
      delay = Math.max(delay, (performance.now() - scannedAt) * SCAN_TIME_FACTOR);
      await this.#takeChanges(listing, isFirst);
      await this.#cleanUp();
      this.#lastFailure = null;
    } catch (error) {
      delay = Math.max(delay, (performance.now() - startedAt) * RETRY_TIME_FACTOR);
      this.#reportFailure(error);
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#running = this.#look();
      },
      Math.min(delay, HOUR_MS),
    );
    this.#timer.unref();
  }

  async #loadLast(): Promise<void> {
    if (this.#knowsLast) return;
    const digest = await findLastUsedEdition();
    const last = digest === null ? null : await loadEdition(digest);
    this.#knowsLast = true;
    if (last && !this.#stopped) setCurrentEdition(last);
  }

  async #takeChanges(listing: FolderListing | null, isFirst: boolean): Promise<void> {
    const { folder, sampleFolder } = this.options;
    const isEmpty = !holdsEdition(listing);
    const signature = isEmpty ? "" : (listing?.signature ?? "");
    if (signature === this.#handled) return setEditionState(this.#outcome);
    if (!isFirst && signature !== this.#pending) {
      this.#pending = signature;
      return;
    }
    if (isEmpty && this.#mustBeThere()) {
      log().error(`CONTENT_DIR: there is no edition in ${folder}; the last good one is served`);
      this.#outcome = "not-taken";
    } else {
      const wasTaken = await this.#take(isEmpty ? sampleFolder : folder);
      this.#outcome = wasTaken ? "taken" : "not-taken";
    }
    this.#handled = signature;
    setEditionState(this.#outcome, !isEmpty);
  }

  /** Whether an empty folder is more likely a mistake, such as an unmounted disk. */
  #mustBeThere(): boolean {
    const current = currentEdition();
    return this.options.isFolderSet && current !== null && current.digest !== this.#sampleDigest;
  }

  /** Imports the folder's edition and serves it. Returns false if it is broken. */
  async #take(folder: string): Promise<boolean> {
    const { sampleFolder } = this.options;
    let edition: Edition;
    try {
      edition = await importEdition(folder);
    } catch (error) {
      if (!(error instanceof BrokenEdition)) throw error;
      reportBroken(folder, error);
      // a new site with a broken edition has nothing else to serve
      if (currentEdition() === null && folder !== sampleFolder) await this.#take(sampleFolder);
      return false;
    }
    if (folder === sampleFolder) this.#sampleDigest = edition.digest;
    if (this.#stopped || edition.digest === currentEdition()?.digest) return true;
    setCurrentEdition(edition);
    for (const problem of edition.siteProblems.slice(0, MAX_LOGGED_PROBLEMS)) {
      log().error(`the site keeps its former words and pages: ${describeProblem(problem)}`);
    }
    const now = new Date();
    log().info(
      {
        folder: folder === sampleFolder ? "the sample edition" : folder,
        chapters: edition.chapters(now).length,
        extras: edition.extras(now).length,
        edition: edition.digest.slice(0, 12),
      },
      "edition taken",
    );
    return true;
  }

  /** Marks the edition as in use once an hour, and deletes what no instance has used for a day. */
  async #cleanUp(): Promise<void> {
    const now = Date.now();
    const current = currentEdition();
    if (!current || now - this.#cleanedUpAt < HOUR_MS) return;
    this.#cleanedUpAt = now;
    await touchEdition(current.digest);
    const before = new Date(now - UNUSED_LIFE_MS);
    await deleteUnusedEditions(before, current.digest);
    const names = (await findStoredFiles()).map(mediaName);
    await deleteUnusedMedia(new Set(names), before);
  }

  #reportFailure(error: unknown): void {
    // the next check will find it complete
    if (error instanceof EditionChanging || this.#stopped) return;
    setEditionState("not-taken");
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastFailure) {
      log().error({ err: error }, "the edition could not be read; it will be tried again");
    }
    this.#lastFailure = message;
  }
}

function reportBroken(folder: string, { problems }: BrokenEdition): void {
  for (const problem of problems.slice(0, MAX_LOGGED_PROBLEMS)) {
    log().error(`the edition in ${folder} cannot be taken: ${describeProblem(problem)}`);
  }
  const rest = problems.length - MAX_LOGGED_PROBLEMS;
  const more = rest > 0 ? ` and ${rest} more problems;` : "";
  log().error(`${more} 'content check' lists all of them; the last good edition is served`.trim());
}
