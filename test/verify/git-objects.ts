// Objects of git, made from its documentation and not with our code.
import { createHash } from 'node:crypto';
import { utf8Encode } from '#platform';
import type { TreeFile } from '../../src/format/index.ts';
import { join } from './make-ledger.ts';

export interface GitObjects {
  /** Of the commit or tree that was asked for. */
  readonly name: string;
  readonly objects: ReadonlyMap<string, Uint8Array>;
}

function nameOf(type: string, bytes: Uint8Array): string {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The tree that has these files, with all below it. */
export function gitTree(files: readonly TreeFile[]): GitObjects {
  const objects = new Map<string, Uint8Array>();
  const folders = new Map<string, TreeFile[]>();
  const rows: { name: string; mode: string; hash: string }[] = [];
  for (const { path, bytes } of files) {
    const [first = '', ...rest] = path.split('/');
    if (rest.length === 0) rows.push({ name: first, mode: '100644', hash: nameOf('blob', bytes) });
    else folders.set(first, [...(folders.get(first) ?? []), { path: rest.join('/'), bytes }]);
  }
  for (const [name, inside] of folders) {
    const below = gitTree(inside);
    for (const [hash, bytes] of below.objects) objects.set(hash, bytes);
    rows.push({ name, mode: '40000', hash: below.name });
  }
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const tree = join(
    ...rows.flatMap(({ name, mode, hash }) => [
      utf8Encode(`${mode} ${name}\0`),
      new Uint8Array(Buffer.from(hash, 'hex')),
    ]),
  );
  const name = nameOf('tree', tree);
  return { name, objects: objects.set(name, tree) };
}

export function gitCommit(tree: string, parents: readonly string[], message = 'Done'): GitObjects {
  const who = 'A <a@example.org> 1794700000 +0000';
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  const object = utf8Encode(`${lines.join('\n')}\n\n${message}\n`);
  const name = nameOf('commit', object);
  return { name, objects: new Map([[name, object]]) };
}
