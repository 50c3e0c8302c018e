// What `foil mcp wrap` under another user records to, put together from the rooms: the service's one store, with the
// configuration of the directory that the wrapper was started in, as far as the service may read it.
import { sha256Hex } from '#platform';
import { type Config, DEFAULT_CONFIG, parseYaml, readConfig } from '../../config/index.ts';
import { type LastingLedger, type Mode, workspaceRoot } from '../../ledger/index.ts';
import {
  type AuthGuard,
  type Cipher,
  Intake,
  type Notes,
  type RecorderOptions,
  WireSession,
} from '../../record/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import type { WireAbout, WireRecording } from '../../service/index.ts';
import type { LedgerBlocks } from '../anchor/ledger-blocks.ts';

export interface WiresPlace {
  readonly ledger: LastingLedger;
  readonly cipher: () => Promise<Cipher>;
  readonly blocks: LedgerBlocks;
  readonly mode: () => Mode;
  readonly guard: AuthGuard;
  readonly notes: Notes;
  /** What a call would do to its own recording, for an agent that works in this directory. */
  readonly defend: (cwd: string) => NonNullable<RecorderOptions['refuses']>;
  /** What the calls of a server may do, for an agent that works in this directory. */
  readonly authority: (server: string, cwd: string) => Promise<RecorderOptions['authority']>;
  readonly sealSoon: () => void;
}

const SOURCE = 'mcp';

export function openWires({
  ledger,
  cipher,
  blocks,
  mode,
  guard,
  notes,
  defend,
  authority,
  sealSoon,
}: WiresPlace): WireRecording {
  const open = async ({ agent, cwd, role }: WireAbout): Promise<RecorderOptions> => {
    const root = workspaceRoot(cwd);
    const config = configOf(root);
    const redactor = makeRedactor(config.redact);
    const { store } = ledger;
    return {
      store,
      intake: new Intake({
        store,
        redactor,
        policy: config,
        cipher: config.content === 'encrypt' ? await cipher() : undefined,
      }),
      config,
      redaction: redactor.id,
      agent,
      source: SOURCE,
      workspaceRoot: root,
      mode,
      guard,
      notes,
      refuses: defend(cwd),
      authority: await authority(agent, cwd),
      pid: null,
      blocks: blocks(config.anchor),
      ...(role === null ? {} : { role }),
      seal: async () => sealSoon(),
      close: async () => undefined,
    };
  };
  return { open: (about) => new WireSession(() => open(about), { trigger: 'mcp' }, notes) };
}

/**
 * Read by the service's user, so links are not followed: they could lead to what the agent's user may not read. What a
 * file meant to keep out that is not understood, or is out of reach, is not known: then nothing is kept but hashes.
 */
function configOf(root: string): Config {
  try {
    return readConfig(root, parseYaml, { links: false });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...DEFAULT_CONFIG, content: 'none', hash: sha256Hex(message) };
  }
}
