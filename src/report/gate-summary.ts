// What the entries of the evidence gate say, each in a few words for one line: contracts, claims, validations, verdicts,
// overrides, crashes, our own notices, policies, keys. Nothing here is harmless yet: render-entry.ts makes it so.
import type { Json, JsonObject } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import { parseNotice } from '../format/index.ts';
import { noticeText } from '../gate/index.ts';
import { DEFAULT_POLICY, policyHash } from '../policy/index.ts';
import { counted } from './text.ts';
import { weakenedWords } from './weakened-words.ts';

/** By kind. `words` are those of a quote or an objective, where they were looked up. */
export const GATE_SUMMARIES: Readonly<Record<string, (payload: JsonObject, words: string | null) => string>> =
  {
    contract: (payload, words) => {
      const fields = isObject(payload.target_fields) ? payload.target_fields : {};
      const named = ['paths', 'urls', 'backtick_tokens', 'command_hints'].flatMap((name) =>
        texts(fields[name]),
      );
      return joined(
        text(payload.intent) ?? '?',
        named.length === 0 ? 'names nothing' : [...new Set(named)].slice(0, 4).join(', '),
        words === null ? null : `"${words}"`,
      );
    },
    claim: (payload, words) =>
      joined(
        `${text(payload.claim) ?? '?'}${text(payload.about) === null ? '' : ` (${text(payload.about)})`}`,
        words === null ? null : `"${words}"`,
        payload.whole === true ? 'of everything' : null,
      ),
    validation: ({ validator, outcome, code, claim, evidence, grade, weakened }) =>
      joined(
        `${text(validator) ?? '?'} ${text(outcome) ?? '?'}${text(code) === null ? '' : ` (${text(code)})`}`,
        `of claim ${String(claim)}`,
        Array.isArray(evidence) && evidence.length > 0 ? `rests on ${evidence.join(', ')}` : null,
        text(grade),
        weakenedWords(weakened),
      ),
    gate: ({ verdict, why, claims, blocks, extraction, forged, ended_by: endedBy, limit, host }) => {
      const open = (Array.isArray(claims) ? claims : []).filter(isObject);
      const by = new Map<string, number>();
      for (const { status } of open) by.set(String(status), (by.get(String(status)) ?? 0) + 1);
      return joined(
        `${text(verdict) ?? '?'}${reasonOf(text(why), text(extraction) ?? 'ok')}`,
        open.length === 0 ? null : [...by].map(([status, count]) => `${count} ${status}`).join(', '),
        verdict === 'block' && typeof blocks === 'number' ? `block ${blocks} of this prompt` : null,
        endedBy === 'limit'
          ? `let go after our last block of this ${text(limit) ?? 'prompt, minute or session'}`
          : null,
        endedBy === 'host' ? (isObject(host) ? "let go by the host's own limit of blocks" : NOT_HELD) : null,
        Array.isArray(forged) && forged.length > 0 ? `${counted(forged.length, 'forged event')}` : null,
      );
    },
    override: ({ phrase }, words) => `the prompt says "${words ?? text(phrase) ?? '?'}"`,
    crash: ({ hook, event, error, from }) =>
      joined(
        `${text(hook) ?? '?'}${text(event) === null ? '' : ` at ${text(event)}`}: ${text(error) ?? '?'}`,
        from === 'fallback' ? 'told later' : null,
      ),
    grants: ({ grants_hash: hash, accepted_by: by }) => joined(short(hash), `accepted by ${text(by) ?? '?'}`),
    policy: ({ policy_hash: hash, accepted_by: by }) =>
      joined(
        short(hash),
        text(by) === null
          ? `${hash === policyHash(DEFAULT_POLICY) ? 'default' : "the project's"} policy, not accepted by an operator`
          : `accepted by ${text(by)}`,
      ),
    'validator.key': ({ version, public_key: key }) => `version ${String(version)}  key ${short(key)}`,
  };

/** Of the hosts whose end a hook can't hold up there is one. */
const NOT_HELD = "this agent can't be blocked, because `opencode run` ends with its first answer";

/** A message that could not be read makes no claim that anybody knows of: that it made none is no reason. */
function reasonOf(why: string | null, extraction: string): string {
  if (extraction !== 'ok') return `: final message not readable (${extraction})`;
  return why === null ? '' : ` (${why})`;
}

/** Of a notice of our own; null for a host's. */
export function foilNotice(payload: JsonObject): string | null {
  try {
    const notice = parseNotice(payload);
    return notice === undefined ? null : noticeText(notice);
  } catch {
    return null;
  }
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('  ');
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function short(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, 16) : '?';
}
