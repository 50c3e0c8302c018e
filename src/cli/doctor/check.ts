// One thing that foil doctor looked at.
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What is so, and where it is not well, what to do. */
  readonly message: string;
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message };
}

export function warn(name: string, message: string): Check {
  return { name, status: 'warn', message };
}

export function fail(name: string, message: string): Check {
  return { name, status: 'fail', message };
}
