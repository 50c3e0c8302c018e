// A run whose every text is an attack on whoever looks at it.
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { Runs } from '../verify/bundle-maker.ts';

export const ATTACK = [
  '<script>window.__ran = 1</script>',
  '<img src="https://example.org/pixel" onerror="window.__ran = 2">',
  '<a href="javascript:window.__ran = 3">look</a>',
  '[look](javascript:window.__ran=4)',
  '<svg onload="window.__ran = 5"><style>*{display:none}</style>',
  '</script></SCRIPT><!-- <iframe srcdoc="<script>parent.__ran = 6</script>">',
  '"onmouseover="window.__ran = 7" \'autofocus onfocus=window.__ran=8',
  '\u001b[31mred\u001b]8;;https://example.org\u0007\u0000\r',
  '\u202egnp.exe\u2066\u200b\u200d\ufeff\u2028\u00ad\u{e0041}',
].join(' ');

/** What any kind of entry may call a text. */
const TEXTS =
  `agent agent_id agent_session agent_type branch by claim code command error error_code event exit_origin intent
  interaction message mode model name notes origin outcome phase phrase problem question reason result role runner
  seen_in state status stop_reason summary text tool tool_use_id trigger validator verdict version why workspace_root`.split(
    /\s+/,
  );

/** Kinds that a session has; those of sessions themselves and of keys are written by whoever makes the ledger. */
export const KINDS =
  `prompt response tool.call tool.result tool.denied approval claim contract validation gate override gap crash agent.start
  agent.end compaction observation decision state memory.write memory.read notice model.call model.result model.tool_use
  model.tool_result receipt run.event run.base run.artifacts commit pack harness.change auth.fail anchor.block custody
  release session.cut plan.step patch.proposed x.own note`.split(/\s+/);

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** Contents that the payloads refer to. */
const DETAILS = JSON.stringify({ claims: [{ reason: ATTACK, command: ATTACK, [ATTACK]: ATTACK }] });
export const CONTENTS = {
  text: utf8(`${ATTACK}${'x'.repeat(1 << 20)}`),
  quote: utf8(ATTACK),
  args: utf8(JSON.stringify({ command: ATTACK, [ATTACK]: ATTACK })),
  output: Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, ...utf8(ATTACK), 0xed, 0xa0, 0x80]),
  content: utf8(ATTACK),
  details: utf8(DETAILS),
};

/** An attack in each member, as text, as content, in lists and objects, and as their names. `seq` is an entry to point at. */
export function plantedPayload(
  contents: Readonly<Record<keyof typeof CONTENTS, Json>>,
  seq: number,
): JsonObject {
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, ATTACK])),
    [ATTACK]: ATTACK,
    prompt_hash: '0'.repeat(64),
    ...contents,
    claims: [{ claim: seq, status: ATTACK, validation: seq }],
    evidence: [seq],
    files: [{ path: ATTACK, op: 'write' }],
    paths: [ATTACK],
    tests: { runner: ATTACK, passed: 1, failed: 0 },
    checks: [{ summary: ATTACK, [ATTACK]: [ATTACK] }],
  };
}

/** Every kind with such a payload. */
export function plant(runs: Runs): void {
  for (const kind of KINDS) {
    const contents = Object.entries(CONTENTS).map(([name, bytes]) => [
      name,
      runs.kept(bytes, 'text/html').ref,
    ]);
    runs.of(kind, plantedPayload(Object.fromEntries(contents), runs.size));
  }
}
