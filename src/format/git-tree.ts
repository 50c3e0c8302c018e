// A tree of git: the object that lists a folder, as git stores it, without its header. Its name is the hash of it, so that who
// has the name of a commit can be shown what files it holds. spec/bundle.md.
import { sha1Hex, sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { encodeHex, ParseError } from '../core/index.ts';

export interface GitTreeEntry {
  readonly kind: 'folder' | 'file' | 'other';
  /** In its composed Unicode form, as paths of artifacts are. */
  readonly name: string;
  readonly hash: string;
}

/** More than any folder has. */
export const MOST_TREE_BYTES = 1 << 24;
const FOLDER = '40000';
const FILES: ReadonlySet<string> = new Set(['100644', '100755', '100664']);

/** The name of an object. `like` tells which hash git uses there. */
export function gitObjectHash(type: 'blob' | 'tree' | 'commit', bytes: Uint8Array, like: string): string {
  const header = utf8Encode(`${type} ${bytes.length}\0`);
  const whole = new Uint8Array(header.length + bytes.length);
  whole.set(header);
  whole.set(bytes, header.length);
  return like.length === 40 ? sha1Hex(whole) : sha256Hex(whole);
}

/** Throws ParseError where it is not the tree of that name. */
export function readTree(tree: string, object: Uint8Array): GitTreeEntry[] {
  if (object.length > MOST_TREE_BYTES) throw new ParseError('TOO_LONG', 'too large for a tree', tree);
  if (gitObjectHash('tree', object, tree) !== tree)
    throw new ParseError('MALFORMED', 'the object is not the one of that name', tree);
  const length = tree.length / 2;
  const entries: GitTreeEntry[] = [];
  const names = new Set<string>();
  for (let start = 0; start < object.length; ) {
    const [blank, nul] = [object.indexOf(0x20, start), object.indexOf(0, start)];
    const next = nul + 1 + length;
    if (blank < 0 || nul < blank || next > object.length)
      throw new ParseError('MALFORMED', "the object isn't a tree", tree);
    const mode = String.fromCharCode(...object.subarray(start, Math.min(blank, start + 8)));
    const name = nameOf(object.subarray(blank + 1, nul), tree);
    // Of two files of one name nobody could say which one is checked out.
    if (names.has(name)) throw new ParseError('MALFORMED', 'it has a name twice', tree);
    names.add(name);
    entries.push({
      kind: mode === FOLDER ? 'folder' : FILES.has(mode) ? 'file' : 'other',
      name,
      hash: encodeHex(object.subarray(nul + 1, next)),
    });
    start = next;
  }
  return entries;
}

function nameOf(bytes: Uint8Array, tree: string): string {
  let name = '';
  try {
    name = utf8Decode(bytes).normalize('NFC');
  } catch {
    // Refused below, like every name that git would not write.
  }
  if (['', '.', '..'].includes(name) || name.includes('/'))
    throw new ParseError('MALFORMED', 'it has a name that no file can have', tree);
  return name;
}
