// What the service has to say to the person who looks after it: `service/log`, one line a message, bounded. Only
// sentences of ours and the codes of errors: nothing that a host sent, and no message of an error, which may hold it.
import { appendFileSync } from 'node:fs';
import { rotate, type ServiceFiles } from './service-files.ts';

export type Log = (message: string) => void;

/** Never throws, and makes no directory: a ledger that was removed stays removed. */
export function openLog(files: ServiceFiles, { longest }: { longest?: number } = {}): Log {
  return (message) => {
    try {
      rotate(files.log, longest);
      const line = message.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 1000);
      appendFileSync(files.log, `${new Date().toISOString()} ${process.pid} ${line}\n`, { mode: 0o600 });
    } catch {
      // There is nobody left to tell.
    }
  };
}

/** What of an error may be written down: its kind and code. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a thrown value that is not an error';
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const words = [error.name, code, syscall].filter((word) => typeof word === 'string');
  return words
    .join(' ')
    .replace(/[^\w .-]/g, '?')
    .slice(0, 120);
}
