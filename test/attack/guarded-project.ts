// A project whose hosts are recorded in this very process: the same place, recorder and answer as the hook command has.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDefence } from '../../src/app/hook/defence.ts';
import { hooksOf } from '../../src/app/hook/hooks-seen.ts';
import { hostPlace } from '../../src/app/hook/host-place.ts';
import { judgeMaker } from '../../src/app/hook/judge-maker.ts';
import { wholeLedger } from '../../src/app/hook/whole-ledger.ts';
import { localWiring } from '../../src/app/hosts/installed.ts';
import { ADAPTERS, adapterOf, opencodePlugin } from '../../src/capture/hooks/index.ts';
import { applyPlan, planInstall } from '../../src/capture/settings/index.ts';
import { parseYaml } from '../../src/config/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import { type Answer, answerHook } from '../../src/record/index.ts';
import { SessionTally } from '../../src/session/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import type { Finding, Report } from '../../src/verify/index.ts';
import { ClaudeSession } from '../e2e/claude-host.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';

export interface Guarded {
  readonly project: Project;
  readonly agent: ClaudeSession;
  /** One event of a host, recorded and answered. */
  tell(input: JsonObject, host?: string): Promise<Answer>;
  verify(): Promise<Report>;
}

export async function guardedProject(
  mode: 'observe' | 'guard' = 'guard',
  { pid = null as number | null, remote = false } = {},
): Promise<Guarded> {
  const project = await newProject();
  project.settings(mode);
  const { located, env, work } = project;
  const tell = async (input: JsonObject, host = 'claude-code'): Promise<Answer> => {
    const adapter = adapterOf(host);
    if (adapter === undefined) throw new Error(`no ${host}`);
    const store = openFileStore(located.directory);
    try {
      const outcome = await answerHook({
        adapter,
        body: Buffer.from(JSON.stringify(input)),
        event: null,
        pinned: 'observe',
        remote,
        place: (cwd) =>
          hostPlace({
            located,
            cwd,
            pinned: 'observe',
            env,
            open: () => store,
            tally: (session, first) => new SessionTally(store, { session, first }),
            parseYaml,
            cipher: () => Promise.reject(new Error('none')),
            blocks: () => undefined,
            pid,
            makeJudge: () => judgeMaker(() => wholeLedger),
            makeDefence: () => makeDefence,
            hooksOf: () => hooksOf,
          }),
      });
      return outcome.answer;
    } finally {
      await store.close();
    }
  };
  return {
    project,
    agent: new ClaudeSession('s-1', work),
    tell,
    verify: () => verifyDirectory(project.directory, { content: false, threads: 0 }),
  };
}

export const HOSTS = ADAPTERS.map(({ agent }) => agent);

/** Of one facet. */
export function codes(report: Report, facet: keyof Report['facets']): string[] {
  return report.facets[facet].findings.map(({ code }: Finding) => code);
}

type Groups = Readonly<Record<string, readonly object[]>>;

/** Claude Code's hooks as \`foil install\` writes them, less those that are left out, beside \`more\`. */
export function installAll(
  { project }: Guarded,
  without: readonly string[] = [],
  more: object = {},
  changed: (groups: Groups) => object = (groups) => groups,
): void {
  const { directory, env, work } = project;
  mkdirSync(join(work, '.git'), { recursive: true });
  writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
  const places = { project: work, home: env.HOME ?? '', env };
  const wiring = localWiring('guard', directory, env);
  applyPlan(planInstall({ agent: 'claude-code', places, wiring, plugin: opencodePlugin }));
  const file = join(work, '.claude/settings.local.json');
  const { hooks, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Groups };
  const left = Object.fromEntries(Object.entries(hooks).filter(([event]) => !without.includes(event)));
  writeFileSync(file, JSON.stringify({ hooks: changed(left), ...rest, ...more }));
}
