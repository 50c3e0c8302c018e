// One thing that foil doctor looked at.
import { plainly } from '../../store/files/index.ts';

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

/** A check that can't be made is one that fails. */
export async function tried(name: string, check: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    return fail(name, plainly(error).message);
  }
}
