// What the calls of an MCP server may do, by the grants that were in force when its session began.
import { type Located, readSettings, workspaceRoot } from '../../ledger/index.ts';
import { encodeNeed, Grants, mcpNeeds, namedCall, parseGrants, unclearNeed } from '../../policy/index.ts';
import type { WireAuthority } from '../../record/index.ts';
import { wholeLedger } from '../hook/whole-ledger.ts';
import { realOf } from '../hook/work-place.ts';

const UNCLEAR = "its message can't be read in exactly one way";

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
      if (tool === null) {
        const needs = [encodeNeed(unclearNeed(server))];
        return { grants, root, needs, missing: needs, more: 0, unread: UNCLEAR, ambient: [] };
      }
      const needed = mcpNeeds(server, tool);
      const missing = needed.filter((need) => !decide.decide(need).allowed).map(encodeNeed);
      const { unread } = namedCall(needed);
      return { grants, root, needs: needed.map(encodeNeed), missing, more: 0, unread, ambient: [] };
    },
  };
}
