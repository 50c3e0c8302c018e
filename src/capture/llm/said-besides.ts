// What an answer says that its reader does not keep. Readers know what their API means; a stranger may put words anywhere:
// into members and events that nobody knows, into pieces that the whole does not repeat, into comments of the stream. So
// every string of an answer is held against what will be on record of it, and what is not there is told besides. Only
// short words without blanks in members that are known to hold ids and kinds are taken for what they are.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Read } from './api.ts';

/** Members of these APIs that hold an id, a kind or a state. */
const PLAIN_MEMBERS: ReadonlySet<string> = new Set(
  `type object role status id event_id item_id response_id previous_response_id call_id service_tier system_fingerprint
  obfuscation finish_reason native_finish_reason stop_reason stop_sequence model name phase effort verbosity truncation
  tool_choice format detail mode modality modalities inference_geo background prompt_cache_key prompt_cache_retention
  safety_identifier generate_summary summary include finishReason responseId modelVersion trafficType category
  probability provider request_id billing`.split(/\s+/),
);
const PLAIN = /^[\w.:/+=@-]{0,128}$/;
/** Pieces of JSON, which is on record as what it means. */
const JSON_PIECES: ReadonlySet<string> = new Set(['partial_json', 'arguments', 'delta', 'input']);
/** In what stands between strings. */
const LITERALS = /true|false|null|[eE](?=[\d+-])/g;
const WORDS = /[^\s\d{}[\],:.+-]/;
const PLAIN_NAME = /^[\w.$:-]{1,64}$/;

/** Characters that are searched through for one answer. */
const MOST_LOOKED = 64 * 1024 * 1024;
const MOST_LISTED = 4096;

export class SaidBesides {
  /** In order, each once. */
  readonly #texts = new Map<string, { readonly isPiece: boolean }>();
  readonly #lines: string[] = [];
  /** Of an answer that is too long to be kept, so is this. */
  #full = false;

  /** A line that is no part of an event. */
  line(text: string): void {
    if (!this.#full) this.#lines.push(text);
  }

  /** The value of an event, or of a whole body. */
  take(value: Json): void {
    if (!this.#full) this.#walk(value, '');
  }

  stop(): void {
    this.#full = true;
    this.#texts.clear();
    this.#lines.length = 0;
  }

  /** What is in neither the answer, as it will be recorded, nor the request, whose bytes are `sent`. */
  left({ answer, toolUses }: Read, sent: string): readonly string[] {
    const all = [answer.message?.value ?? null, toolUses.map(({ input }) => input)];
    const kept = stringsIn(all);
    const recorded = [...kept, answer.id ?? '', answer.model ?? '', answer.stopReason ?? ''].join('\n');
    const left: string[] = [];
    let pieces = '';
    let from = 0;
    let looked = 0;
    for (const [text, { isPiece }] of this.#texts) {
      // Whoever wants it to take for ever has it all on record instead.
      if (looked > MOST_LOOKED) {
        left.push(text);
        continue;
      }
      // Pieces of a text come in its order, so the next is mostly right behind.
      const at = recorded.indexOf(text, from);
      looked += at < 0 ? recorded.length + sent.length : at - from;
      if (at >= 0) from = at + text.length;
      else if (recorded.includes(text) || sent.includes(JSON.stringify(text).slice(1, -1))) continue;
      else if (isPiece) pieces += text;
      else left.push(text);
    }
    const isKept = new Set(kept);
    const { strings, rest } = cutJson(pieces);
    for (const text of strings) if (!isKept.has(text)) left.push(text);
    // What is no JSON is no piece of any.
    if (WORDS.test(rest.replace(LITERALS, ''))) left.push(pieces);
    const besides = [...this.#lines, ...left];
    return besides.length <= MOST_LISTED ? besides : [besides.join('\n')];
  }

  /** At most as deep as plain JSON is. */
  #walk(value: Json, member: string): void {
    if (typeof value === 'string') this.#text(value, member);
    else if (typeof value !== 'object' || value === null) return;
    else if (Array.isArray(value)) for (const each of value as readonly Json[]) this.#walk(each, member);
    else
      for (const name in value) {
        if (!PLAIN_NAME.test(name)) this.#text(name, '');
        this.#walk((value as JsonObject)[name] as Json, name);
      }
  }

  #text(text: string, name: string): void {
    if (text === '' || (PLAIN_MEMBERS.has(name) && PLAIN.test(text))) return;
    // The same word comes again and again in pieces of a text: what was said once is on record once.
    if (!this.#texts.has(text)) this.#texts.set(text, { isPiece: JSON_PIECES.has(name) });
  }
}

/** All strings of a value and the names in it, in order, however deep it is. */
function stringsIn(value: Json): string[] {
  const found: string[] = [];
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') found.push(next);
    else if (Array.isArray(next)) for (let i = next.length - 1; i >= 0; i--) stack.push(next[i] as Json);
    else if (typeof next === 'object' && next !== null) {
      const members = next as JsonObject;
      const names = Object.keys(members);
      for (const name of names) found.push(name);
      for (const name of names.reverse()) stack.push(members[name] as Json);
    }
  }
  return found;
}

/** The strings in a text of JSON, whole or in pieces, and what stands between them. Linear, whatever it is. */
function cutJson(text: string): { readonly strings: readonly string[]; readonly rest: string } {
  const strings: string[] = [];
  let rest = '';
  let from = 0;
  for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', from)) {
    rest += text.slice(from, open);
    let end = open + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    strings.push(literalOf(text.slice(open, end + 1)));
    from = end + 1;
  }
  return { strings, rest: rest + text.slice(from) };
}

function literalOf(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
