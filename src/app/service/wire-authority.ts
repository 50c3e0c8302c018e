// What the calls of an MCP server may do, by the grants that were in force when its session began.
import { type Located, readSettings, workspaceRoot } from '../../ledger/index.ts';
import { encodeNeed, Grants, mcpNeed, namedCall, parseGrants } from '../../policy/index.ts';
import type { WireAuthority } from '../../record/index.ts';
import { wholeLedger } from '../hook/whole-ledger.ts';
import { realOf } from '../hook/work-place.ts';

/** Undefined where no grants are in force. */
export async function wireAuthority(
  located: Located,
  { server, cwd, env }: { readonly server: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<WireAuthority | undefined> {
  const inForce = await wholeLedger.grantsInForce(located, env);
  if (inForce === null) return undefined;
  const { grantsHash: grants } = inForce;
  const { allow, deny } = parseGrants(inForce.grants);
  const root = realOf(workspaceRoot(cwd));
  const decide = new Grants(allow, deny, root);
  return {
    grants,
    isEnforced: readSettings(located.directory, env).mode !== 'observe',
    judge(tool) {
      const need = mcpNeed(server, tool);
      const needs = [encodeNeed(need)];
      const missing = decide.decide(need).allowed ? [] : needs;
      const { unread } = namedCall([need]);
      return { grants, root, needs, missing, more: 0, unread, ambient: [] };
    },
  };
}
