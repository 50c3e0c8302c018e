// The pack, and whether the run kept to it.
import { utf8Encode } from '#platform';
import type { Json, JsonObject } from '../../../src/core/index.ts';
import { encodeModelToolUse } from '../../../src/format/index.ts';
import { encodePack } from '../../../src/harness/index.ts';
import type { Loose, Runs } from '../bundle-maker.ts';
import {
  type BundleCase,
  ENCRYPTED,
  failing,
  made,
  OTHER_PACK,
  RULED,
  STRICT,
  setMember,
  unknown,
} from '../make-bundles.ts';

function askedFor(tool: string): JsonObject {
  const input = { inputHash: 'c'.repeat(64), inputBytes: 2, whole: true };
  return encodeModelToolUse({ toolUseId: 'toolu_1', tool, ...input });
}

/** The pack, and whether the run kept to it. */
export function packs(): BundleCase[] {
  const harness = (name: string, done: string, path: string, value: Json): BundleCase =>
    made(
      name,
      done,
      failing('PACK_WRONG'),
      { pack: STRICT },
      {
        change: (loose) => setMember(loose, `metadata.harness.${path}`, value),
      },
    );
  const part = (name: string, done: string, bytes: Uint8Array): BundleCase =>
    made(
      name,
      done,
      failing('PACK_WRONG'),
      { pack: STRICT },
      {
        change: ({ parts }) => void parts.set('harness-pack.tar.gz', bytes),
      },
    );
  const secret = (loose: Loose): void => {
    loose.parts.delete('harness-pack.tar.gz');
    loose.parts.set('harness-pack.jwe.json', ENCRYPTED);
    setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm');
  };
  const calls = (
    name: string,
    done: string,
    expect: BundleCase['expect'],
    tell: (runs: Runs) => void,
    disclose: 'arguments' | 'none' = 'arguments',
  ): BundleCase => made(name, done, expect, { pack: RULED, tell }, { disclose });
  const denied = failing('TOOL_DENIED');
  const undisclosed = unknown('TOOL_UNDISCLOSED');
  return [
    part('pack-of-another-root', 'Another pack is in the bundle.', encodePack(OTHER_PACK)),
    part('pack-malformed', 'The pack is a text.', utf8Encode('pack')),
    part('pack-cut-short', 'The pack is cut short.', encodePack(STRICT).subarray(0, -9)),
    made(
      'another-pack-named',
      'The bundle names another pack than the run, and has it.',
      failing('MANIFEST_WRONG'),
      { pack: STRICT },
      { pack: OTHER_PACK },
    ),
    harness(
      'pack-hash-wrong',
      'The bundle names another pack hash.',
      'pack_hash_b64u',
      OTHER_PACK.hashes.packHash,
    ),
    harness(
      'config-hash-wrong',
      'The bundle names another hash of the configuration.',
      'config_hash_b64u',
      'A'.repeat(43),
    ),
    harness('pack-id-wrong', 'The bundle gives the pack another id.', 'id', 'better'),
    made(
      'pack-left-out',
      'The pack is not in the bundle.',
      unknown('PACK_MISSING'),
      { pack: STRICT },
      {
        change: ({ parts }) => void parts.delete('harness-pack.tar.gz'),
      },
    ),
    made(
      'pack-encrypted',
      'The pack is encrypted.',
      unknown('PACK_MISSING'),
      { pack: STRICT },
      { change: secret },
    ),
    calls(
      'tool-denied',
      'The run called a tool that its pack denies.',
      denied,
      (runs) => void runs.tool('WebFetch', { url: 'https://example.org' }),
    ),
    made(
      'tool-denied-at-its-server',
      'The run called a tool that its pack denies by the name that hosts give it, and was seen at the MCP server.',
      denied,
      { pack: STRICT, tell: (runs) => void runs.tool('create', {}, { server: 'github' }) },
      { disclose: 'arguments' },
    ),
    calls(
      'tool-denied-by-its-result',
      'The run has the result of a tool that its pack denies, and not the call.',
      denied,
      (runs) => void runs.toolResult(runs.prompt('Look it up.'), 'WebFetch'),
    ),
    calls(
      'tool-denied-by-its-refusal',
      'The run has the refusal of a tool that its pack denies, and not the call.',
      denied,
      (runs) => {
        const call = runs.tool('Bash', { command: 'ls' });
        runs.of('tool.denied', { tool: 'Bash', args_hash: null }, { cause: call });
        runs.of('tool.denied', { tool: 'WebFetch', args_hash: null }, { cause: call });
      },
    ),
    calls(
      'tool-denied-by-a-question',
      'A person was asked for a tool that the pack denies, and the run has no call of it.',
      denied,
      (runs) => {
        const asked = runs.of('approval', { state: 'asked', tool: 'WebFetch', args_hash: 'c'.repeat(64) });
        runs.of('approval', { state: 'granted', tool: 'WebFetch', args_hash: null }, { cause: asked });
      },
    ),
    calls(
      'event-that-may-be-a-call',
      "An event of the agent can't be read: it may be a call of any tool.",
      undisclosed,
      (runs) => void runs.of('observation', { event: 'PreToolUse', problem: 'bad-shape', content: null }),
    ),
    calls(
      'tool-denied-that-the-model-asked-for',
      'The model asked for a tool that the pack denies, and the run has no call of it.',
      denied,
      (runs) => void runs.of('model.tool_use', askedFor('WebFetch')),
    ),
    calls(
      'tool-denied-by-the-result-of-another',
      'The result of a call is that of a tool that the pack denies.',
      denied,
      (runs) => void runs.toolResult(runs.tool('Bash', { command: 'ls' }), 'WebFetch'),
    ),
    calls(
      'result-of-other-arguments',
      'The result of a call has the hash of other arguments, which are not shown.',
      undisclosed,
      (runs) => void runs.toolResult(runs.tool('Bash', { command: 'ls' }), 'Bash', 'c'.repeat(64)),
    ),
    calls(
      'tool-denied-under-the-id-of-another',
      'The model asked for a tool that the pack denies, and the call with its id is of another.',
      denied,
      (runs) => {
        runs.tool('Bash', { command: 'ls' }, { toolUseId: 'toolu_1' });
        runs.of('model.tool_use', askedFor('WebFetch'));
      },
    ),
    calls(
      'argument-denied',
      'The run used an argument that its pack denies, and shows it.',
      denied,
      (runs) => void runs.tool('Bash', { command: 'sudo rm -rf /' }),
    ),
    calls(
      'argument-denied-inline',
      'The denied argument stands in the entry itself.',
      denied,
      (runs) => void runs.tool('Bash', {}, { args: { deep: [{ command: 'rm -rf /' }] } }),
    ),
    calls(
      'argument-denied-in-a-text',
      'The arguments are one text, and it is denied.',
      denied,
      (runs) => void runs.tool('Bash', '', { bytes: utf8Encode('rm -rf /'), type: 'text/plain' }),
    ),
    made(
      'tool-denied-behind-the-end',
      'The denied call stands behind the end.',
      denied,
      {
        pack: RULED,
        after: (runs) => {
          runs.tool('WebFetch', { url: 'https://example.org' });
          runs.sum();
        },
      },
      { disclose: 'arguments' },
    ),
    calls(
      'arguments-not-shown',
      'A rule looks at arguments that are not shown.',
      undisclosed,
      () => undefined,
      'none',
    ),
    calls(
      'arguments-not-kept',
      'A rule looks at arguments that were never kept: the entry has their hash alone.',
      undisclosed,
      (runs) => void runs.tool('Bash', { command: 'rm -rf /' }, { args: null }),
    ),
    calls(
      'arguments-redacted',
      'What was taken out of the arguments may have been what a rule catches.',
      undisclosed,
      (runs) => void runs.tool('Bash', { command: 'sudo [REDACTED:password] /' }),
    ),
    calls(
      'arguments-in-the-entry-alone',
      'Arguments stand in the entry itself, and are not those of its hash.',
      undisclosed,
      (runs) => void runs.tool('Bash', { command: 'rm -rf /' }, { args: { command: 'ls' } }),
    ),
    calls(
      'arguments-of-another-hash',
      'The arguments that are shown are not those of which the call has the hash.',
      failing('CONTENT_WRONG'),
      (runs) => void runs.tool('Bash', { command: 'ls' }, { argsHash: 'c'.repeat(64) }),
    ),
    calls(
      'arguments-not-canonical',
      'The arguments that are shown name a member twice.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { bytes: utf8Encode('{"command":"rm -rf /","command":"ls"}') }),
    ),
    calls(
      'arguments-nested',
      'The arguments that are shown are nested ten thousand deep.',
      undisclosed,
      (runs) =>
        void runs.tool('Bash', {}, { bytes: utf8Encode(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) }),
    ),
    calls(
      'arguments-within-arguments',
      'A part of the arguments is a reference to content.',
      undisclosed,
      (runs) =>
        void runs.tool(
          'Bash',
          {},
          { args: { command: runs.kept(utf8Encode('rm -rf /'), 'text/plain').ref } },
        ),
    ),
    calls(
      'arguments-of-no-form',
      'The reference to the arguments is malformed.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { args: { $content: 'keyed-sha256:x', bytes: 1 } }),
    ),
    calls(
      'arguments-encrypted',
      'What is shown of the arguments is encrypted.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { bytes: utf8Encode('{}'), type: 'application/octet-stream' }),
    ),
    calls(
      'tool-without-a-name',
      'A call does not say which tool it is of.',
      undisclosed,
      (runs) => void runs.of('tool.call', { args: null }),
    ),
  ];
}
