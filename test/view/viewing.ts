// A viewer over ledgers of a test, and questions to it.
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type LedgerToView, startView } from '../../src/view/index.ts';

const PAGE = new Map([['/', { type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') }]]);

export interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

export async function viewing(ledgers: readonly LedgerToView[], together = false) {
  const view = await startView(ledgers, PAGE, { together });
  onTestFinished(() => view.close());
  const { host, port } = new URL(view.origin);
  const { token } = view;
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const all = { authorization: `Bearer ${token}`, host, ...headers };
      request({ host: '127.0.0.1', port, path, method, headers: all }, (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(pieces) }),
        );
      })
        .on('error', reject)
        .end();
    });
  const json = async <T>(path: string): Promise<T> => JSON.parse((await ask(path)).body.toString()) as T;
  return { view, ask, json, host };
}
