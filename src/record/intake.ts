// The one way in: whatever is to be kept or hashed is tidied, redacted, and only then hashed and written. Content is
// durable before the entry that names it. What was changed on the way is counted in the traces of the entry.
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import type { ContentPolicy } from '../config/index.ts';
import type { Json, JsonObject } from '../core/index.ts';
import { encodeContentRef, encryptedType, type Kept, MAX_CONTENT } from '../format/index.ts';
import type { ContentStore } from '../ledger/index.ts';
import type { CallMade, Redactor } from '../redact/index.ts';
import type { Cipher } from './content-cipher.ts';
import { toContent } from './content-form.ts';
import { fitting, shorten } from './short.ts';
import { escapeReferences, tidy } from './tidy.ts';

/** What the way in did to what an entry tells of. */
export class Traces {
  readonly redacted: Record<string, number> = {};
  lossy: number;

  constructor(lossy = 0) {
    this.lossy = lossy;
  }

  get redactions(): number {
    return Object.values(this.redacted).reduce((sum, count) => sum + count, 0);
  }
}

/** Bytes in the entry. A dozen such words, and all else that an entry of a tool may have, fit into one line. */
const LONGEST_WORD = 2048;
const LARGEST_FACTS = 8192;
/** Encrypted it is a little longer. */
const LARGEST_KEPT = MAX_CONTENT - 64;
const LARGEST_LIST = 14_000;
/** Words that are known to need nothing: names of tools and places come again and again. */
const KNOWN_WORDS = 256;
const LONGEST_KNOWN = 200;

/** Bytes that passed by. */
export interface Digest {
  /** 64 hex digits. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface IntakeOptions {
  readonly store: Pick<ContentStore, 'putContent' | 'commitContent'>;
  readonly redactor: Redactor;
  readonly policy: ContentPolicy;
  /** Needed where the policy says `encrypt`. */
  readonly cipher?: Cipher | undefined;
}

export class Intake {
  readonly #store: IntakeOptions['store'];
  readonly #redactor: Redactor;
  readonly #policy: ContentPolicy;
  readonly #cipher: Cipher | undefined;
  readonly #known = new Set<string>();

  constructor({ store, redactor, policy, cipher }: IntakeOptions) {
    this.#store = store;
    this.#redactor = redactor;
    this.#policy = policy;
    this.#cipher = cipher;
  }

  /** A value as it may be written. */
  clean(value: unknown, traces: Traces): Json {
    return this.redact(this.tidy(value, traces), traces);
  }

  /** The second half of it, for what is tidy. */
  redact(value: Json, traces: Traces): Json {
    return this.#redactor.value(value, traces.redacted);
  }

  /** A call's output without the secret that the call was made to show. */
  printed(output: Json, call: CallMade, traces: Traces): Json {
    return this.#redactor.printed(output, call, traces.redacted);
  }

  /** The first half. */
  tidy(value: unknown, traces: Traces): Json {
    const { value: tidied, lossy } = tidy(value);
    traces.lossy += lossy;
    return tidied;
  }

  /** Nothing in it is redacted: what is, is kept in a state as little as in an entry. */
  isClean(text: string): boolean {
    return this.word(text, new Traces()) === text;
  }

  /** A name, an id, a path, a reason: short, as entries need it. What is cut off is counted. */
  word(text: string, traces: Traces): string {
    if (this.#known.has(text)) return text;
    const clean = this.clean(text, traces) as string;
    const short = shorten(clean, { length: LONGEST_WORD, bytes: LONGEST_WORD });
    if (short !== clean) {
      traces.lossy += 1;
      return `${short}…`;
    }
    if (clean === text && text.length <= LONGEST_KNOWN) {
      if (this.#known.size >= KNOWN_WORDS) this.#known.clear();
      this.#known.add(text);
    }
    return clean;
  }

  /** A list that goes into the entry itself: as much of it as fits. What is left out is counted. `items` must be clean. */
  list<T extends Json>(items: readonly T[], traces: Traces): readonly T[] {
    const fit = fitting(items, LARGEST_LIST);
    traces.lossy += items.length - fit.length;
    return fit;
  }

  /** Small members that go into the entry itself; together too large, they become content. */
  async small(session: string | null, members: JsonObject, traces: Traces): Promise<JsonObject> {
    const clean = this.clean(members, traces) as JsonObject;
    const text = JSON.stringify(clean);
    if (3 * text.length <= LARGEST_FACTS || utf8Encode(text).length <= LARGEST_FACTS)
      return escapeReferences(clean) as JsonObject;
    const { ref, hash } = await this.keep(session, clean);
    return { facts: ref, facts_hash: hash };
  }

  /** Durable when it resolves, as far as the policy keeps content at all. `value` must be clean. */
  async keep(session: string | null, value: Json): Promise<Kept> {
    const { bytes, type } = toContent(value);
    const { content } = this.#policy;
    const isHashed = content !== 'keep' || this.#policy.hashes === 'plain';
    const hash = isHashed ? await this.#hashIf(true, session, bytes) : undefined;
    if (content === 'none') return { hash: hash ?? '', bytes: bytes.length, ref: null };
    // Text that JSON writes much longer than it is. Too large to be kept, it can still be recognised.
    if (bytes.length > LARGEST_KEPT)
      return { hash: hash ?? (await this.hash(session, value)), bytes: bytes.length, ref: null };
    const stored = content === 'encrypt' ? await this.#encrypt(session, bytes) : bytes;
    const ref = await this.#store.putContent(session, stored, {
      type: content === 'encrypt' ? encryptedType(type) : type,
    });
    return {
      hash: hash ?? ref.hash,
      bytes: bytes.length,
      ref: encodeContentRef(ref),
    };
  }

  /** The hash that `keep` would give, and nothing kept. `value` must be clean. */
  async hash(session: string | null, value: Json): Promise<string> {
    const { bytes } = toContent(value);
    return (await this.#hashIf(true, session, bytes)) ?? '';
  }

  /** Content of which only a digest is here, because it was too long to be held: nothing of it is kept. */
  async digest(session: string | null, { sha256, bytes }: Digest): Promise<Kept> {
    return { hash: await this.hash(session, `sha256:${sha256}`), bytes, ref: null };
  }

  /**
   * Members that hold the content of a file: `{content_hash, content_bytes}` in their place. The length is that of what
   * the host said, the hash that of what may be written. `value` must not be clean yet.
   */
  async withoutFiles(
    session: string | null,
    value: Json,
    members: ReadonlySet<string>,
    traces: Traces,
  ): Promise<Json> {
    if (members.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
      return value;
    const result: Record<string, Json> = { ...(value as JsonObject) };
    for (const name of members) {
      const member = Object.hasOwn(result, name) ? result[name] : undefined;
      if (member === undefined || member === null) continue;
      result[name] = await this.fileContent(session, member, traces);
    }
    return result;
  }

  /** Of any length. Bytes that are text are hashed as text, so that who has the one can find the other. */
  async fileContent(
    session: string | null,
    content: Json | Uint8Array,
    traces: Traces,
  ): Promise<{ readonly content_hash: string; readonly content_bytes: number }> {
    if (content instanceof Uint8Array) {
      const text = textOf(content);
      const content_hash =
        text === undefined
          ? ((await this.#hashIf(true, session, content)) ?? '')
          : (await this.fileContent(session, text, traces)).content_hash;
      return { content_hash, content_bytes: content.length };
    }
    if (typeof content === 'string') {
      const text = content.toWellFormed();
      const clean = this.#redactor.value(text, traces.redacted);
      return { content_hash: await this.hash(session, clean), content_bytes: utf8Encode(text).length };
    }
    const hash = await this.hash(session, this.clean(content, traces));
    return { content_hash: hash, content_bytes: toContent(tidy(content).value).bytes.length };
  }

  async #hashIf(wanted: boolean, session: string | null, bytes: Uint8Array): Promise<string | undefined> {
    if (this.#policy.hashes === 'plain') return sha256Hex(bytes);
    return wanted ? (await this.#store.commitContent(session, bytes)).hash : undefined;
  }

  #encrypt(session: string | null, bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#cipher === undefined) throw new TypeError('content: encrypt needs a cipher');
    return this.#cipher(session ?? '0'.repeat(64), bytes);
  }
}

/** Undefined where it is not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8Decode(bytes);
  } catch {
    return undefined;
  }
}
