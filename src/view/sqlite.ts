// SQLite with full text, where this machine has it: the optional package @photostructure/sqlite, or Node's own from 22.13
// on. Loaded only by `foil view`, and only when an index is opened: nothing else may wait for it.

/** What of `node:sqlite` is used, which both have alike. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): unknown[];
}

type Value = string | number | null;

export type OpenDatabase = (path: string, options?: { readonly readOnly?: boolean }) => Database;

interface Package {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => Database;
}

let found: OpenDatabase | null | undefined;

/** Undefined where there is none, or none that knows full text. */
export function loadSqlite(): OpenDatabase | undefined {
  if (found === undefined) found = tryPackage() ?? tryNode() ?? null;
  return found ?? undefined;
}

function tryPackage(): OpenDatabase | undefined {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    // Not `require` itself: in a bundled module that name is a stand-in which loads nothing.
    const load = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
    return working(load('@photostructure/sqlite') as Package);
  } catch {
    return undefined;
  }
}

function tryNode(): OpenDatabase | undefined {
  try {
    const builtIn = process.getBuiltinModule as (name: string) => unknown;
    return working(builtIn('node:sqlite') as Package);
  } catch {
    return undefined;
  }
}

/** Throws where full text is missing. */
function working({ DatabaseSync }: Package): OpenDatabase {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec('CREATE VIRTUAL TABLE probe USING fts5(body)');
  } finally {
    database.close();
  }
  return (path, options = {}) => new DatabaseSync(path, options);
}
