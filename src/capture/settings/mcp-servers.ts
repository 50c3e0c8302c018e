// Puts `foil mcp wrap` before the MCP servers that a client's configuration starts, and takes it out again such that the
// text is what it was, byte for byte. What was there is kept in the text itself: the command moves behind our words, as
// it is written; where a server had no arguments, a blank before the colon says so. Servers that are reached over HTTP
// are left alone.
import { ParseError } from '../../core/index.ts';
import { type Container, type Document, type Element, member, type Node, parseDocument } from './document.ts';
import { splice } from './edit.ts';

export interface WrappedServers {
  readonly text: string;
  /** Names of the servers that are wrapped now, or were. */
  readonly servers: readonly string[];
  /** Those that were left as they are, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly added: string;
}

interface Server {
  readonly name: string;
  readonly object: Container;
}

/** What `"args":` is written as where there were none before. */
const NEW_ARGS = '"args" :';

/** `words` are ours for a server, up to the `--`. Servers that are wrapped already are wrapped anew. Throws ParseError. */
export function wrapServers(
  text: string,
  file: string,
  words: (name: string) => readonly string[],
): WrappedServers {
  const bare = unwrapServers(text, file).text;
  const edits: Edit[] = [];
  const servers: string[] = [];
  const left: { name: string; why: string }[] = [];
  for (const { name, object } of serversIn(parseDocument(bare, file))) {
    const why = whyNot(object);
    const command = member(object, 'command');
    if (why !== null || command === undefined) {
      left.push({ name, why: why ?? 'it has no command' });
      continue;
    }
    const [program = '', ...rest] = words(name);
    const token = bare.slice(command.value.start, command.value.end);
    const list = [...rest.map((word) => JSON.stringify(word)), '"--"', token].join(', ');
    edits.push({ from: command.value.start, to: command.value.end, added: JSON.stringify(program) });
    const args = member(object, 'args')?.value;
    if (args === undefined || args.type !== 'array')
      edits.push({ from: command.end, to: command.end, added: `,${NEW_ARGS}[${list}]` });
    else {
      const comma = args.elements.length > 0 ? ',' : '';
      edits.push({ from: args.start + 1, to: args.start + 1, added: `${list}${comma}` });
    }
    servers.push(name);
  }
  return { text: apply(bare, edits), servers, left };
}

/** Throws ParseError. */
export function unwrapServers(text: string, file: string): WrappedServers {
  const edits: Edit[] = [];
  const servers: string[] = [];
  for (const { name, object } of serversIn(parseDocument(text, file))) {
    const command = member(object, 'command');
    const args = member(object, 'args');
    const own = command === undefined || args === undefined ? undefined : ownCommand(command, args);
    if (own === undefined || command === undefined || args === undefined) continue;
    const token = text.slice(own.value.start, own.value.end);
    edits.push({ from: command.value.start, to: command.value.end, added: token });
    const list = args.value as Container;
    const isNew = text.slice(args.start, args.value.start) === NEW_ARGS && command.comma === command.end;
    if (isNew && own === list.elements.at(-1) && args.start === command.end + 1)
      edits.push({ from: command.end, to: args.end, added: '' });
    else
      edits.push({
        from: list.start + 1,
        to: own.comma === undefined ? own.end : own.comma + 1,
        added: '',
      });
    servers.push(name);
  }
  return { text: apply(text, edits), servers, left: [] };
}

/** The original command within our words; undefined where they are not ours. */
function ownCommand(command: Element, args: Element): Element | undefined {
  if (args.value.type !== 'array') return undefined;
  const { elements } = args.value;
  const words = [wordOf(command.value), ...elements.map(({ value }) => wordOf(value))];
  const at = words[0] === 'foil' ? 1 : /[/\\]foil(?:\.cjs)?$/.test(words[1] ?? '') ? 2 : undefined;
  if (at === undefined || words[at] !== 'mcp' || words[at + 1] !== 'wrap') return undefined;
  const end = words.indexOf('--', at);
  // The command stands in front of its arguments.
  return end < 0 ? undefined : elements[end];
}

function whyNot(object: Container): string | null {
  const names = object.elements.map(({ key }) => key);
  if (names.some((key, at) => names.indexOf(key) !== at)) return 'a member of it is there twice';
  const type = member(object, 'type')?.value;
  const kind = type === undefined ? 'stdio' : wordOf(type);
  const command = member(object, 'command');
  if (command === undefined || kind !== 'stdio')
    return member(object, 'url') === undefined ? 'it has no command' : 'it is reached over HTTP';
  if (wordOf(command.value) === undefined) return 'its command is not a string';
  const args = member(object, 'args')?.value;
  return args === undefined || args.type === 'array' ? null : 'its args are not a list';
}

/** As the clients have them: `mcpServers`, `servers` in VS Code, and in Claude Code's own file one for each project. */
function serversIn({ root }: Document): Server[] {
  if (root === undefined) return [];
  if (root.type !== 'object') throw new ParseError('BAD_MEMBER', 'not an object');
  const projects = member(root, 'projects')?.value;
  const maps = [
    member(root, 'mcpServers')?.value,
    member(root, 'servers')?.value,
    inside(member(root, 'mcp')?.value, 'servers'),
    ...(projects?.type === 'object' ? projects.elements.map(({ value }) => inside(value, 'mcpServers')) : []),
  ];
  return maps.flatMap((map) =>
    map?.type === 'object'
      ? map.elements.flatMap(({ key = '', value }) =>
          value.type === 'object' ? [{ name: key, object: value }] : [],
        )
      : [],
  );
}

function inside(node: Node | undefined, name: string): Node | undefined {
  return node?.type === 'object' ? member(node, name)?.value : undefined;
}

function wordOf(node: Node): string | undefined {
  return node.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** From the end, so that places stay where they are. */
function apply(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((done, { from, to, added }) => splice(done, from, to, added), text);
}
