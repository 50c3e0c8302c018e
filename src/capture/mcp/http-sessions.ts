// The conversations of an HTTP proxy: one for each session that the server named in a header, and one for each request
// that is part of none.
import type { IncomingHttpHeaders } from 'node:http';
import type { WireRecorder } from '../../record/index.ts';
import { Conversation } from './conversation.ts';
import { headerOf } from './http-send.ts';
import { ToolList } from './tool-list.ts';

export const MOST_SESSIONS = 1000;
const SESSION = 'mcp-session-id';

export class HttpSessions {
  readonly #recorder: WireRecorder;
  readonly #server: string;
  readonly #sessions = new Map<string, Conversation>();
  readonly #open = new Set<Conversation>();
  readonly #tools = new ToolList();

  /** `server` is what the server is called in entries. */
  constructor(recorder: WireRecorder, server: string) {
    this.#recorder = recorder;
    this.#server = server;
  }

  /** `own` where it is of no session yet. */
  of(headers: IncomingHttpHeaders): { conversation: Conversation; own: boolean } {
    const known = this.#sessions.get(headerOf(headers, SESSION) ?? '');
    if (known !== undefined) return { conversation: known, own: false };
    // Without a session each request is by itself: ids of two clients may be the same.
    const conversation = new Conversation(this.#recorder, { server: this.#server, tools: this.#tools });
    this.#open.add(conversation);
    return { conversation, own: true };
  }

  /** What an answer names a session for goes on in that. */
  remember(answer: IncomingHttpHeaders, conversation: Conversation): void {
    const session = headerOf(answer, SESSION);
    if (session === undefined) return;
    this.#sessions.set(session, conversation);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) {
      this.#sessions.delete(oldest[0]);
      void oldest[1].end('FORGOTTEN').finally(() => this.#open.delete(oldest[1]));
    }
  }

  /** The client ended its session. */
  async forget(headers: IncomingHttpHeaders): Promise<void> {
    const session = headerOf(headers, SESSION) ?? '';
    const conversation = this.#sessions.get(session);
    this.#sessions.delete(session);
    if (conversation === undefined) return;
    await conversation.end('SESSION_ENDED');
    this.#open.delete(conversation);
  }

  /** The request of a conversation is over: it ends with it, unless it goes on in a session. */
  async leave(conversation: Conversation): Promise<void> {
    if ([...this.#sessions.values()].includes(conversation)) return;
    await conversation.end('NOT_ANSWERED');
    this.#open.delete(conversation);
  }

  async close(): Promise<void> {
    for (const conversation of this.#open) await conversation.end('PROXY_CLOSED');
  }
}
