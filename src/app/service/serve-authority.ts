// What the tools of `foil mcp serve` may do, by the grants that were in force when its session began. A plan says what
// should be done and grants say what may be: both must allow a write, in every mode.
import { ToolFailure } from '../../capture/mcp/index.ts';
import type { CallAuthority } from '../../format/index.ts';
import { MachineFiles } from '../../gate/index.ts';
import { type Environment, type Located, workspaceRoot } from '../../ledger/index.ts';
import {
  encodeNeed,
  type FileAction,
  fileNeed,
  Grants,
  mcpNeeds,
  type Need,
  namedCall,
  parseGrants,
  readingsOf,
} from '../../policy/index.ts';
import { wholeLedger } from '../hook/whole-ledger.ts';
import { realOf } from '../hook/work-place.ts';
import { isWithin } from '../workspace-files.ts';

export interface ServeAuthority {
  /** The hash of the grants. */
  readonly grants: string;
  /** `path` is the file that the tool is asked for, if any. */
  judge(tool: string, path: string | undefined): CallAuthority;
}

const SERVER = 'counterfoil';
/** Needs nothing: it begins the session that the grants are of. */
export const BEGIN = 'begin_session';
const FILE_TOOLS: ReadonlyMap<string, FileAction> = new Map([
  ['read_file', 'read'],
  ['write_file', 'write'],
]);

/**
 * Null if no grants are in force. `workspace` is what the client chose, with its links resolved, and the client's paths begin
 * there. The paths of grants begin at the work tree of `cwd`, where the server runs. ToolFailure INVALID_PATH if the workspace
 * isn't in that tree.
 */
export async function serveAuthority(
  located: Located,
  { workspace, cwd, env }: { readonly workspace: string; readonly cwd: string; readonly env: Environment },
): Promise<ServeAuthority | null> {
  const inForce = await wholeLedger.grantsInForce(located, env);
  if (inForce === null) return null;
  const { grantsHash: grants } = inForce;
  const { allow, deny } = parseGrants(inForce.grants);
  const root = realOf(workspaceRoot(cwd));
  if (!isWithin(root, workspace))
    throw new ToolFailure(
      'INVALID_PATH',
      `the grants of this server are for ${root}, where it runs. Choose a workspace in that folder, or run \`foil mcp serve\` in the project that you want to work in.`,
    );
  const decide = new Grants(allow, deny, root);
  return {
    grants,
    judge(tool, path) {
      const action = FILE_TOOLS.get(tool);
      const file: Need[] =
        action === undefined || path === undefined
          ? []
          : readingsOf(path, workspace, new MachineFiles()).map((each) => fileNeed(action, each));
      const needs = tool === BEGIN ? [] : [...mcpNeeds(SERVER, tool), ...file];
      const missing = needs.filter((need) => !decide.decide(need).allowed).map(encodeNeed);
      const { unread } = namedCall(needs);
      return {
        ...{ grants, root, needs: needs.map(encodeNeed), missing, more: 0, unread, ambient: [] },
        verdict: missing.length === 0 ? 'allow' : 'deny',
      };
    },
  };
}
