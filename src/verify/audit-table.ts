// The sixteen questions of an audit and the fifteen invariants of a run, as data: which codes fail a question, and which invariant
// each of them breaks. spec/audit.md has the same table in words.
import type { RunEventKind } from '../format/index.ts';
import type { Code } from './codes.ts';
import { counted } from './counted.ts';
import type { RunAudit } from './run-audit.ts';

export const INVARIANTS = [
  'Sequence Continuity',
  'Hash Chain Integrity',
  'Parent Linkage',
  'Payload Hash Consistency',
  'Causal Closure',
  'Hash Verifiability',
  'Deterministic Reconstruction',
  'Memory Provenance',
  'Capability Immutability',
  'Zero Ambient Authority',
  'Denial Logging',
  'Exhaustive Enumeration',
  'Signature Validity',
  'Gate Sequentiality',
  'Reversibility',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export interface Point {
  readonly question: string;
  /** What fails it, and the invariant that this breaks. */
  readonly fails: Readonly<Partial<Record<Code, Invariant | null>>>;
  readonly unknown?: readonly Code[];
  /** Kinds of events whose payload it must see. */
  readonly reads?: readonly RunEventKind[];
  /** It can be asked of a host's session, too. */
  readonly ofHosts?: true;
  readonly pass: (audit: RunAudit) => string;
}

const noPatches = (passed: string) => (audit: RunAudit) =>
  audit.patches.length === 0 ? 'no patch was proposed' : passed;

/** `AgentInit` has no list for a tool whose `capabilities` is a function, so its calls can't be held against one. */
const ownNeeds = (init: RunAudit['init']): string =>
  init?.tools.some(({ required }) => required === null)
    ? ". What a tool's function said that it needs is the program's own word"
    : '';

export const POINTS: readonly Point[] = [
  {
    question: 'Event log exists and is readable',
    fails: { RUN_MALFORMED: null, RUN_ORDER: null },
    ofHosts: true,
    pass: ({ counts, entries }) => `${entries} entries, ${counts.events} of them events of the run`,
  },
  {
    question: 'All event payload hashes verify',
    fails: { RUN_PAYLOAD_HASH: 'Payload Hash Consistency' },
    unknown: ['RUN_PAYLOAD_UNKNOWN'],
    pass: ({ counts }) => `${counts.valid} of ${counts.events}`,
  },
  {
    question: 'State hash chain is continuous',
    fails: { RUN_STATE_CHAIN: 'Hash Chain Integrity' },
    pass: () => 'every event begins at the state that the one before it left',
  },
  {
    question: 'No missing sequence numbers',
    fails: { RUN_SEQUENCE: 'Sequence Continuity' },
    pass: ({ counts }) => `0 to ${counts.events - 1}`,
  },
  {
    question: 'All parent_ids are valid, and every event follows from its cause',
    fails: { RUN_PARENT: 'Parent Linkage', RUN_CAUSE: 'Causal Closure' },
    pass: () => 'every parent is the event before, and every event says what its cause led to',
  },
  {
    question: 'All tool calls had required capabilities',
    fails: {
      RUN_CALL_NOT_GRANTED: 'Zero Ambient Authority',
      CALL_NOT_GRANTED: 'Zero Ambient Authority',
      DENIED_CALL_RAN: 'Zero Ambient Authority',
      AUTHORITY_INVALID: 'Zero Ambient Authority',
      RUN_TOOL_UNDECLARED: 'Exhaustive Enumeration',
      RUN_CAPABILITIES: 'Capability Immutability',
    },
    unknown: ['CALL_UNJUDGED', 'AMBIENT'],
    reads: ['AgentInit', 'ToolCall'],
    ofHosts: true,
    pass: ({ decisions, init }) =>
      `${counted(decisions.get('allow') ?? 0, 'call')}, each within its grants${ownNeeds(init)}`,
  },
  {
    question: 'All capability denials are logged',
    fails: { RUN_DENIAL: 'Denial Logging', DENIAL_UNTOLD: 'Denial Logging' },
    reads: ['Decision', 'Final'],
    ofHosts: true,
    pass: ({ usage }) => `${counted(usage.denials, 'denial')} logged`,
  },
  {
    question: 'Replay produces identical final state',
    fails: {},
    pass: () => 'every state and decision came out the same',
  },
  {
    question: 'All memory writes have causal_event_id',
    fails: { RUN_MEMORY: 'Memory Provenance' },
    reads: ['MemoryWrite'],
    pass: ({ memory }) => counted(memory.length, 'write'),
  },
  {
    question: 'All applied patches have valid signatures',
    fails: { PATCH_SIGNATURE: 'Signature Validity', PATCH_INVALID: 'Signature Validity' },
    ofHosts: true,
    pass: noPatches('every signature holds'),
  },
  {
    question: 'All patches passed test gate',
    fails: { PATCH_UNTESTED: 'Gate Sequentiality' },
    ofHosts: true,
    pass: noPatches('no patch went past it'),
  },
  {
    question: 'All patches passed audit gate',
    fails: { PATCH_UNAUDITED: 'Gate Sequentiality' },
    ofHosts: true,
    pass: noPatches('no patch went past it'),
  },
  {
    question: 'All patches had authorized approval',
    fails: {
      PATCH_SIGNER: 'Gate Sequentiality',
      PATCH_SELF_APPROVED: 'Gate Sequentiality',
      PATCH_ALTERED: 'Gate Sequentiality',
      PATCH_MISPLACED: 'Reversibility',
    },
    unknown: ['PATCH_SIGNER_UNKNOWN'],
    ofHosts: true,
    pass: noPatches('every signer was an operator then'),
  },
  {
    question: 'No policy violations occurred',
    fails: { GRANTS_INVALID: null, GRANTS_FOREIGN: null, OPERATOR_INVALID: null, OPERATOR_REVOKED: null },
    unknown: ['OPERATOR_UNKNOWN', 'GRANTS_PASSED_OVER'],
    ofHosts: true,
    pass: () =>
      'grants, claims and receipts hold, and hooks, gateway and MCP proxy do not contradict each other',
  },
  {
    question: 'Resource limits were enforced',
    fails: { RUN_LIMIT: null, RUN_USAGE: null },
    reads: ['AgentInit', 'ToolResult'],
    pass: ({ usage }) =>
      `${counted(usage.calls, 'call')}, ${usage.ms} ms, ${counted(usage.outputBytes, 'byte')} of output`,
  },
  {
    question: 'Final state hash matches logged value',
    fails: { RUN_SNAPSHOT: 'Hash Verifiability' },
    reads: ['Snapshot'],
    pass: ({ finalStateHash }) => finalStateHash ?? '',
  },
];

/** Points by what they ask, from 1. */
export const POINT = {
  log: 1,
  capabilities: 6,
  replay: 8,
  tests: 11,
  audit: 12,
  approval: 13,
  policy: 14,
  limits: 15,
  final: 16,
} as const;
