// What a request through the gateway says of itself beside its body, and what of an answer is told as an observation.
import type { IncomingMessage } from 'node:http';
import type { Unclear } from '../../capture/llm/index.ts';
import type { PassedBy, WireCaller } from '../../record/index.ts';
import type { Route } from './upstreams.ts';

/** Who says that a body is in another charset than JSON's may read other characters than we do. */
export function isOtherCharset(type: string | undefined): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type ?? '')?.[1];
  return charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset);
}

export function callerOf({ headers, socket }: IncomingMessage, { session }: Route): WireCaller {
  const host = one(headers['x-claude-code-session-id']);
  return {
    session: session ?? one(headers['x-counterfoil-session']),
    host: host === null ? null : { agent: 'claude-code', session: host },
    connection: socket,
  };
}

/** Strings of an answer that are nowhere in what is kept of it. */
export function saidBesides(texts: readonly string[]): PassedBy {
  return { event: 'besides', problem: null, content: [...texts], wire: { direction: 'to-client' } };
}

/** Events of a stream that readers may differ about. A hostile upstream sends any number: those of a chunk go together. */
export function unclearIn(events: readonly Unclear[]): PassedBy[] {
  const problems = [...new Set(events.map(({ problem }) => problem))];
  return problems.map((problem) => {
    const texts = events.filter((event) => event.problem === problem).map(({ text }) => text);
    const content = texts.length === 1 ? texts[0] : texts;
    return { event: 'stream', problem, content, wire: { direction: 'to-client' } };
  });
}

/** Who names a session or a nonce that can't be one must learn of it, not be recorded as if nothing was said. */
export function tooLong({ headers }: IncomingMessage): boolean {
  const { 'x-counterfoil-session': session = '', 'x-counterfoil-nonce': nonce } = headers;
  return (session !== '' && one(session) === null) || (nonce !== undefined && one(nonce) === null);
}

export function one(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : null;
}

/** What stands behind the path, if anything. */
export function queryOf(target: string): string | null {
  const query = target.indexOf('?');
  return query < 0 ? null : target.slice(query + 1);
}

export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}
