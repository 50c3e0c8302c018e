// A ledger with sessions that say what a test tells them to, made in this process.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLedger, openLedger } from '../../src/entry/index.ts';
import { type ContentRef, encodeContentRef, encryptedType } from '../../src/format/index.ts';
import type { Ledger, Located } from '../../src/ledger/index.ts';
import { openCipher } from '../../src/record/content-cipher.ts';
import { openKeyring } from '../../src/store/files/index.ts';
import type { LedgerToView } from '../../src/view/index.ts';
import { IndexBuilder } from '../../src/view/index-builder.ts';
import { loadSqlite, type OpenDatabase } from '../../src/view/sqlite.ts';
import { temporary } from '../temporary.ts';

export const sqlite = loadSqlite() as OpenDatabase;

export const idOf = (name: string): string => createHash('sha256').update(name).digest('hex');

export class SmallLedger {
  readonly located: Located;
  readonly index: string;
  readonly ledger: Ledger;

  private constructor(located: Located, ledger: Ledger, index: string) {
    this.located = located;
    this.ledger = ledger;
    this.index = index;
  }

  static async make(root = temporary()): Promise<SmallLedger> {
    const located: Located = {
      directory: join(root, 'ledger'),
      keyDirectory: join(root, 'keys'),
      how: 'option',
    };
    await (await createLedger(located)).close();
    const ledger = openLedger(located, { sealEvery: 0 });
    onTestFinished(() => ledger.close());
    return new SmallLedger(located, ledger, join(root, 'cache/view/index.sqlite'));
  }

  get toView(): LedgerToView {
    return { name: 'proj', located: this.located, index: { path: this.index, program: null } };
  }

  /** A session with a prompt for each text. */
  async session(name: string, texts: readonly string[], kept: 'salted' | 'plain' | 'encrypted' = 'salted') {
    const session_id = idOf(name);
    const source = 'hook';
    const start = { agent: 'claude-code', agent_session: name, workspace_root: '/w', mode: 'observe' };
    await this.ledger.append({ kind: 'session.start', payload: start, source, session_id });
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const ref =
        kept === 'encrypted'
          ? await this.ledger.store.putContent(session_id, await this.#encrypted(session_id, bytes), {
              type: encryptedType('text/plain'),
            })
          : await this.ledger.store.putContent(session_id, bytes, { plain: kept === 'plain' });
      await this.ledger.append({
        kind: 'prompt',
        payload: { prompt: encodeContentRef(ref) },
        source,
        session_id,
      });
    }
  }

  /** Content that is kept encrypted. */
  async encrypted(name: string, text: string, type: string): Promise<ContentRef> {
    const bytes = await this.#encrypted(idOf(name), Buffer.from(text));
    return this.ledger.store.putContent(idOf(name), bytes, { type: encryptedType(type) });
  }

  /** Under the ledger's own key, which is here. */
  async #encrypted(session: string, bytes: Uint8Array): Promise<Uint8Array> {
    const { origin } = await this.ledger.identity();
    const encrypt = await openCipher(openKeyring(this.located.keyDirectory), origin);
    return encrypt(session, bytes);
  }

  builder(): IndexBuilder {
    const builder = new IndexBuilder(this.ledger, this.located, sqlite, this.index);
    onTestFinished(() => builder.close());
    return builder;
  }

  /** What a process would do that looks once. */
  async look(): Promise<void> {
    const builder = this.builder();
    await builder.look();
    builder.close();
  }
}
