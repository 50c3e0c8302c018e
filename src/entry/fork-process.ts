// The process that `foil fork` starts: one message with what to do comes in, one with what came of it goes out. The agent's
// modules are loaded here and not in foil itself.
import { type ForkAnswer, type ForkOptions, messageOf } from '../runtime/index.ts';
import { fork } from './fork.ts';

export function answerFork(): void {
  process.once('message', async (options: ForkOptions) => {
    const answer: ForkAnswer = await fork(options).then(
      (done) => ({ done }),
      (error: unknown) => ({ failed: { code: codeOf(error), message: messageOf(error) } }),
    );
    process.send?.(answer, () => process.exit(0));
  });
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : null;
}
