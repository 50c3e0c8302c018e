import { complies, liar, question, retracts } from './gate.ts';
import { grants } from './grants.ts';
import { serviceKilled, unwritable, works } from './recording.ts';
import { replayed } from './replay.ts';
import type { Scenario } from './scenario.ts';
import { foilRun, modes } from './set-up.ts';

export { type Left, runScenario, type Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  works,
  unwritable,
  serviceKilled,
  question,
  liar,
  complies,
  retracts,
  modes,
  foilRun,
  grants,
  replayed,
];
