// Claude Code (seen with 2.1.325) in a linked git work tree reads `.claude/settings.local.json` of the main checkout as
// well as its own, and runs the hooks of both. It does not read the main checkout's `.claude/settings.json`.
import { mainWorkTree } from '../../ledger/index.ts';
import { claudeCode } from './claude-code.ts';
import type { Host, Places } from './host.ts';
import { findInstalled, HOSTS, type Installed } from './plan.ts';

/** The main checkout of a linked work tree, where hosts may read more settings; null anywhere else. */
export function mainCheckout(places: Places): Places | null {
  const main = mainWorkTree(places.project);
  return main === null ? null : { ...places, project: main, cwd: main };
}

/** Everything of ours whose hooks run for this project, also from the main checkout of a linked work tree. */
export function findRunning(places: Places, hosts: readonly Host[] = HOSTS): Installed[] {
  const main = mainCheckout(places);
  const fromMain = main === null ? [] : findInstalled(main, hosts).filter(isSharedByWorkTrees);
  return [...findInstalled(places, hosts), ...fromMain];
}

export function isSharedByWorkTrees({ agent, scope }: Pick<Installed, 'agent' | 'scope'>): boolean {
  return agent === claudeCode.agent && scope === 'local';
}
