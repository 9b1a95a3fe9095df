/** A finished backup in a store. */
export type StoredBackup = { name: string; bytes: number; time: Date };

export type SaveOptions = {
  /** Aborts the save. */
  stopping?: AbortSignal;
  /** Receives the stored backup to read. If it throws, the backup is removed. */
  verify?: (stored: AsyncIterable<Uint8Array>) => Promise<unknown>;
};

/** A store of named backups. Its functions throw an OperatorError for failures that the operator can fix. */
export type BackupStore = {
  /** The store's name for the operator, such as "BACKUP_DIR /backups". */
  label: string;
  /**
   * Lists the finished scheduled backups, oldest first, or those whose name `timeOf` accepts. Ignores other files.
   */
  list(timeOf?: (name: string) => Date | null): Promise<StoredBackup[]>;
  /**
   * Stores a backup while it is produced, all or nothing, and returns its size in bytes. Never replaces a backup.
   * Verifies it before naming it, except in a bucket, which cannot rename.
   */
  save(name: string, content: AsyncIterable<Uint8Array>, options?: SaveOptions): Promise<number>;
  /** Reads a whole backup. */
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
  /** Removes leftovers of interrupted attempts, but nothing that may still be in progress. */
  removeUnfinished(): Promise<void>;
};
