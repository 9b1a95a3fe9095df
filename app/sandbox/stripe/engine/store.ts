import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { emptyState, type State } from "./state";

const FORMAT = 1;

/**
 * Stores the local Stripe's state in a JSON file. A write replaces the whole file atomically: it writes a new file,
 * syncs it to disk and renames it. Changes made meanwhile share the next write.
 */
export class Store {
  private changes = 0;
  private written = 0;
  private writing: Promise<void> | undefined;

  private constructor(
    readonly state: State,
    private readonly file: string | null,
  ) {}

  /** Opens the file, or starts empty if there is none; null keeps everything in memory. */
  static async open(file: string | null): Promise<Store> {
    if (file === null) return new Store(emptyState(), null);
    let content: string;
    try {
      content = await readFile(file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return new Store(emptyState(), file);
      }
      throw error;
    }
    const state = parseState(content);
    if (state === null) {
      throw new Error(
        `The local Stripe cannot read its state in ${file}. Delete that file to begin afresh.`,
      );
    }
    return new Store(state, file);
  }

  /** Records that the state has changed. */
  changed(): void {
    this.changes += 1;
  }

  /** Returns a mark for the changes recorded so far. */
  mark(): number {
    return this.changes;
  }

  /** Resolves once every change up to a mark is on disk. Rejects if it cannot be written. */
  async saved(wanted = this.mark()): Promise<void> {
    while (this.file !== null && this.written < wanted) {
      this.writing ??= this.write(this.file).finally(() => {
        this.writing = undefined;
      });
      await this.writing;
    }
  }

  private async write(file: string): Promise<void> {
    const version = this.changes;
    const temporary = `${file}.new`;
    try {
      const handle = await open(temporary, "w", 0o600);
      try {
        await handle.writeFile(formatState(this.state));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(file));
    this.written = version;
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function formatState(state: State): string {
  return JSON.stringify({ format: FORMAT, state }, (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}

/** Parses a state file's content; null if it is not one. */
function parseState(text: string): State | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isRecord(parsed) || parsed.format !== FORMAT || !isRecord(parsed.state)) return null;
    const state: Record<string, unknown> = { ...emptyState() };
    for (const [name, fresh] of Object.entries(state)) {
      const kept = parsed.state[name];
      // a part added by this version starts empty
      if (kept === undefined) continue;
      state[name] = fresh instanceof Map ? new Map(kept as [string, unknown][]) : kept;
    }
    return state as State;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
