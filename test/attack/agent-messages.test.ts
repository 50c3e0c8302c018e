// What a model reads of us never names a way past us, whatever went wrong; the person still gets it, where the host has
// a place that the model does not read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/capture/hooks/index.ts';
import { encodeRefusals } from '../../src/capture/mcp/refusal.ts';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { type Answer, answerHook, type HookPlace, refusalOf, refuseHook } from '../../src/record/index.ts';
import { OWN_COMMANDS, tellsWayPast, withoutWayPast } from '../../src/rules/index.ts';
import { temporary } from '../temporary.ts';

const FORBIDDEN =
  /foil (?:pause|mode (?:observe|guard)|uninstall|install|init|recover|auth (?:add|present)|policy accept|operator init|overrides ack|key rotate)|FOIL=|edit the policy/i;

/** Members that hosts show to the person alone: spelled out, so that a new one is thought about. */
const FOR_THE_PERSON: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['systemMessage'],
  codex: ['systemMessage'],
  gemini: ['systemMessage'],
  copilot: [],
  cursor: ['user_message'],
  opencode: ['message'],
};

/** Everything else that an answer says. */
function forTheModel(host: string, { exit, stdout, stderr }: Answer): string {
  const value = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
  const personal = value.type === 'progress' ? ['message'] : (FOR_THE_PERSON[host] ?? []);
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !personal.includes(name)));
  // Cursor keeps standard error in its log; elsewhere it is the reason of a block.
  return `${JSON.stringify(rest)}${host === 'cursor' && exit === 0 ? '' : stderr}`;
}

const ADVICE = [
  'the ledger has no first entry yet. Try again, or run `foil init`.',
  'there is no ledger in /x. Run `foil install` to record agents there, or `foil init` to create only the ledger.',
  'the log in /x ends too early: cut. Entries were lost or cut. Run `foil verify`, then restore a copy; without one, see `foil recover --help`.',
  '/x/settings: not JSON. Run `foil mode` to write it again',
  'the auth key ci was revoked on 2026-01-01. Run `foil auth add NAME --present` to make and present another one.',
  "the policy on record (entry 3) can't be read by this version: x. Use the version that recorded it, or accept another with `foil policy accept`.",
  'the pause can not be noted: EACCES. FOIL=off stops recording in a shell.',
  '/x/settings: not JSON. Guard applies until you run `foil mode observe` or `foil mode guard`.',
];

const INPUTS: readonly ((event: string) => JsonObject)[] = [
  (hook_event_name) => ({
    hook_event_name,
    session_id: 's',
    conversation_id: 's',
    cwd: '/',
    prompt: 'x',
    prompt_response: 'x',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response: {},
    tool_result: { result_type: 'success' },
    tool_output: '{}',
    last_assistant_message: 'Done.',
    stop_hook_active: false,
    source: 'startup',
  }),
  (hook_event_name) => ({ hook_event_name, session_id: 's' }),
];
const OPENCODE = [
  'tool.execute.before',
  'tool.execute.after',
  'chat.message',
  'session.idle',
  'session.created',
  'tool.error',
];

function failing(why: string, runtime: string): HookPlace {
  return {
    mode: 'guard',
    release: null,
    paused: false,
    runtime,
    clean: (text) => text,
    warning: null,
    broken: null,
    root: null,
    recorder: () => Promise.reject(new Error(why)),
  };
}

describe('a hook that can not record in guard', () => {
  it.each(ADAPTERS.map((adapter) => [adapter.agent, adapter] as const))(
    'tells the model of %s no way past',
    async (host, adapter) => {
      const runtime = join(temporary(), 'a', 'b');
      const events = [
        ...adapter.events.map(({ name }) => name),
        ...(host === 'opencode' ? OPENCODE : []),
        'Unknown',
        '',
      ];
      for (const why of ADVICE)
        for (const event of events)
          for (const input of INPUTS) {
            const body = Buffer.from(JSON.stringify(input(event)));
            const call = { adapter, body, event: event || null, pinned: 'guard' as const };
            const { answer } = await answerHook({ ...call, place: () => failing(why, runtime) });
            expect(forTheModel(host, answer), `${event}: ${why}`).not.toMatch(FORBIDDEN);
            expect(forTheModel(host, refuseHook(call, new Error(why)))).not.toMatch(FORBIDDEN);
          }
      const unread = { adapter, body: Buffer.from('no json'), event: null, pinned: 'guard' as const };
      for (const why of ADVICE) {
        const { answer } = await answerHook({ ...unread, place: () => failing(why, runtime) });
        expect(forTheModel(host, answer)).not.toMatch(FORBIDDEN);
      }
    },
  );

  it('tells the person how to go on, where the host has a place for it', async () => {
    const runtime = join(temporary(), 'a', 'b');
    const said: Record<string, boolean> = {};
    for (const adapter of ADAPTERS) {
      const event =
        { cursor: 'preToolUse', gemini: 'BeforeTool', opencode: 'tool.execute.before' }[adapter.agent] ??
        'PreToolUse';
      const body = Buffer.from(JSON.stringify(INPUTS[0]?.(event)));
      const { answer } = await answerHook({
        adapter,
        body,
        event,
        pinned: 'guard',
        place: () => failing('full', runtime),
      });
      said[adapter.agent] = answer.stdout.includes('foil pause 30m');
    }
    expect(said).toEqual({
      'claude-code': true,
      codex: true,
      gemini: true,
      copilot: false,
      cursor: true,
      opencode: true,
    });
  });
});

describe('what an adapter says of a refusal', () => {
  it('puts what is for the person nowhere else', () => {
    const marker = 'PERSON-ONLY';
    for (const adapter of ADAPTERS)
      for (const name of [...adapter.events.map((event) => event.name), ...OPENCODE, '', 'Other']) {
        const [event] = adapter.read({ hook_event_name: name, session_id: 's' } as Json, name || null);
        if (event === undefined) continue;
        const answer = adapter.answer(
          { ...event, name },
          { verdict: 'deny', reason: 'MODEL', person: marker },
        );
        expect(forTheModel(adapter.agent, answer), `${adapter.agent} ${name}`).not.toContain(marker);
      }
  });

  it('names no command of ours when it refuses one', () => {
    for (const { act } of Object.values(OWN_COMMANDS)) {
      expect(refusalOf(act).reason).not.toMatch(/\bfoil\b|FOIL/);
      expect(tellsWayPast(refusalOf(act).reason)).toBe(false);
    }
  });
});

describe('errors of MCP', () => {
  it.each(ADVICE)('leave out the advice: %s', (why) => {
    expect(Buffer.from(encodeRefusals(['1'], `AUDIT_APPEND_FAILED: ${why}`, false)).toString()).not.toMatch(
      FORBIDDEN,
    );
  });
});

describe('the text for the model', () => {
  it('keeps what happened and loses how to get past it', () => {
    expect(withoutWayPast(ADVICE[0] ?? '')).toBe(
      'the ledger has no first entry yet. A person has to put this right.',
    );
    expect(withoutWayPast('Nothing is wrong. See `foil crashes`.')).toBe(
      'Nothing is wrong. See `foil crashes`.',
    );
    // A clause whose neighbour was taken out is a whole sentence.
    expect(withoutWayPast(`${ADVICE[2]} In guard mode nothing runs.`)).toBe(
      'the log in /x ends too early: cut. Entries were lost or cut. Run `foil verify`, then restore a copy. In guard mode nothing runs. A person has to put this right.',
    );
    expect(withoutWayPast('Run `foil pause 30m`; then it goes on.')).toBe(
      'Then it goes on. A person has to put this right.',
    );
    expect(withoutWayPast('Run `foil pause 30m`.')).toBe('A person has to put this right.');
  });

  it('is held against every command that is refused to an agent', () => {
    for (const name of Object.keys(OWN_COMMANDS)) {
      const words =
        { policy: 'policy accept', overrides: 'overrides ack', crashes: 'crashes ack' }[name] ?? `${name} x`;
      expect(tellsWayPast(`Run foil ${words} now.`), name).toBe(true);
    }
  });
});

describe('the gate’s own words', () => {
  it('name no way past in any module that writes them', () => {
    const folders = ['src/rules', 'src/rules/validators', 'src/claims'];
    for (const folder of folders)
      for (const name of readdirSync(folder).filter(
        (each) => each.endsWith('.ts') && each !== 'way-past.ts',
      )) {
        const code = readFileSync(join(folder, name), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
        expect(code, `${folder}/${name}`).not.toMatch(FORBIDDEN);
      }
  });
});
