// foil demo: shows examples/demo, and says whether every expectation of it held.
import type { Step } from '../../../examples/demo/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';

export const demo: Command = {
  name: 'demo',
  summary:
    'watch foil work: many writers, attacks on copies, a recorded agent, the gate, stamps, and proofs for others',
  usage: '',
  arguments: [0, 0],
  options: {},
  examples: ['foil demo'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { demoStory } = await import('../../../examples/demo/index.ts');
  const steps: Step[] = [];
  let interrupted = false;
  const undo = context.onInterrupt(() => {
    interrupted = true;
  });
  const exit = (): number => {
    if (interrupted) return EXIT.INTERRUPTED;
    return steps.every(({ held }) => held) ? EXIT.FINE : EXIT.FAILED;
  };
  async function* told(): AsyncGenerator<string> {
    try {
      for await (const text of demoStory(context, steps)) {
        yield text;
        if (interrupted) return;
      }
    } catch (error) {
      if (!interrupted) throw error; // Ctrl-C reaches the writers too, and they end
    } finally {
      undo();
    }
  }
  if (!context.values.flag('json')) return { text: told(), exit };
  for await (const _ of told());
  return { json: { ok: exit() === EXIT.FINE, steps }, exit };
}
