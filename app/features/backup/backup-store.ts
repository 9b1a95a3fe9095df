/** A finished backup in a store. */
export type StoredBackup = { name: string; bytes: number; time: Date };

export type SaveOptions = {
  /** When it is aborted, the store gives up. */
  stopping?: AbortSignal;
  /** Is given what was stored to read; if it throws, nothing stays. */
  verify?: (stored: AsyncIterable<Uint8Array>) => Promise<unknown>;
};

/** A place that keeps backups under their names. Its functions throw an OperatorError for what the operator can fix. */
export type BackupStore = {
  /** What the operator calls it, as in "BACKUP_DIR /backups". */
  label: string;
  /**
   * The finished backups of the schedule, oldest first, or those whose names this function tells the time of; whatever
   * else is there is left alone.
   */
  list(timeOf?: (name: string) => Date | null): Promise<StoredBackup[]>;
  /**
   * Stores a backup as it is produced, whole or not at all; returns its size in bytes. Never replaces one. It is verified
   * before it gets its name, except in a bucket, where nothing can be renamed.
   */
  save(name: string, content: AsyncIterable<Uint8Array>, options?: SaveOptions): Promise<number>;
  /** Reads a backup from its first byte to its last. */
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
  /** Removes what interrupted attempts have left, but nothing that may still be being written. */
  removeUnfinished(): Promise<void>;
};
