// What is asked of grants before an operator accepts them. The grammar lets more through, because what was accepted once must
// stay readable: here a grant that no call is ever held against, or another one than its writer meant, is refused with the words
// that would do it. A denial that never matches protects nothing, and nobody would notice.
import { ParseError } from '../../core/index.ts';
import type { GrantTexts } from '../../format/index.ts';
import { givesToShell } from '../shell-tools.ts';
import { type Capability, encodeCapability, segmentsOf } from './capability.ts';
import { type FileView, resolved } from './files.ts';
import { canonicalHost, isPlainPattern } from './host.ts';
import { parseGrants } from './match-grants.ts';
import { hasUnseen } from './need.ts';
import { looks } from './tool-needs.ts';

/** Throws ParseError with what to write instead. */
export function assertProposal(texts: GrantTexts, path = 'grants'): void {
  const { allow, deny } = parseGrants(texts, path);
  for (const [name, capabilities] of Object.entries({ allow, deny }))
    for (const [i, capability] of capabilities.entries()) {
      const flaw = proposalFlaw(capability);
      if (flaw !== null) throw new ParseError('BAD_MEMBER', flaw, `${path}.${name}[${i}]`);
    }
}

/** What keeps it from being accepted; null if nothing does. */
export function proposalFlaw(capability: Capability): string | null {
  const { domain, scope } = capability;
  if (hasUnseen(scope)) return 'the scope has a character that can not be seen';
  const segments = segmentsOf(domain, scope);
  if (segments.some((segment) => segment.trim() !== segment)) return 'the scope has a blank at an edge';
  switch (domain) {
    case 'network':
      return hostFlaw(capability);
    case 'fs':
      return pathFlaw(scope);
    case 'process':
      return scope.includes('/') ? pathFlaw(scope) : programFlaw(capability);
    case 'mcp':
      return segments.length > 1 || scope === '**'
        ? null
        : `a tool of a server is SERVER/TOOL: ${write(capability, `${scope}/*`)}`;
    case 'tool':
      return toolFlaw(scope);
    default:
      return null;
  }
}

const write = (capability: Capability, scope: string): string =>
  `write ${encodeCapability({ ...capability, scope })}`;

function hostFlaw(capability: Capability): string | null {
  const { scope } = capability;
  if (scope === '**' || isPlainPattern(scope)) return null;
  const parts = /^\d[\d*]*(?:\.[\d*]+){0,2}(?=:|$)/.exec(scope)?.[0];
  if (parts?.includes('*')) {
    const whole = [...parts.split('.'), '*', '*', '*'].slice(0, 4).join('.');
    return `an address has four numbers: ${write(capability, `${whole}${scope.slice(parts.length)}`)}`;
  }
  const host = canonicalHost(scope)?.replace(/:80$/, '');
  return host === undefined || host === scope
    ? 'no host is written like this, so no call would match'
    : `calls name this host in another way: ${write(capability, host)}`;
}

function pathFlaw(scope: string): string | null {
  const [first = '', ...others] = scope.replace(/^\.\//, '').split('/');
  const isHome = first === '~' || (first.startsWith('~') && others.length > 0);
  return isHome || /^\$[A-Z_]+$/.test(first) ? `nothing expands ${first}: write the path from /` : null;
}

function programFlaw(capability: Capability): string | null {
  const [program = '', ...words] = capability.scope.split(/[ :]/);
  return words.length === 0
    ? null
    : `calls need the name of a program, without its arguments: ${write(capability, program)}`;
}

function toolFlaw(scope: string): string | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(scope) ?? [];
  return server === undefined
    ? null
    : `a tool of an MCP server is named otherwise: write mcp:call:${server}/${tool}`;
}

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  fs: ['read', 'write'],
  process: ['exec'],
  network: ['get'],
  mcp: ['call'],
  tool: ['call'],
};
/** Those that write. What looks and fetches is listed where its needs are found. */
const WRITES = /^(?:Read|Write|Edit|MultiEdit|NotebookEdit)$/;

/** What a person should know before accepting: grants that speak of less than they seem to, on this machine. */
export function remarksOn(texts: GrantTexts, root: string, view: FileView): string[] {
  const { allow, deny } = parseGrants(texts);
  return [...allow, ...deny].flatMap((capability) => {
    const remark =
      actionRemark(capability) ??
      toolRemark(capability) ??
      linkRemark(capability, root, view) ??
      folderRemark(capability, root, view);
    return remark === null ? [] : [`${encodeCapability(capability)}: ${remark}`];
  });
}

function actionRemark({ domain, action }: Capability): string | null {
  const known = Object.hasOwn(ACTIONS, domain) ? ACTIONS[domain] : undefined;
  if (action === '*' ? known !== undefined : known?.includes(action) === true) return null;
  return 'no call of an agent needs this. Only a tool of your own runs may say that it does';
}

function toolRemark({ domain, scope }: Capability): string | null {
  return domain === 'tool' && (WRITES.test(scope) || looks(scope) || givesToShell(scope))
    ? `a call of ${scope} needs what it does, such as fs:read:PATH or process:exec:NAME, and not its own name`
    : null;
}

/** Whoever writes `secrets` as in a .gitignore means all that is in it. */
function folderRemark({ domain, action, scope }: Capability, root: string, view: FileView): string | null {
  if (domain !== 'fs' || scope.includes('*') || !view.isFolder(pathOf(scope, root))) return null;
  return `${scope} is a folder. This covers the folder itself, and nothing in it: for that, write fs:${action}:${scope}/**`;
}

function pathOf(scope: string, root: string): string {
  return scope.startsWith('/') ? scope : `${root}/${scope.replace(/^\.\//, '')}`.replace(/\/$/, '');
}

/** Calls are held against what links lead to. */
function linkRemark({ domain, scope }: Capability, root: string, view: FileView): string | null {
  if (domain !== 'fs' && !(domain === 'process' && scope.includes('/'))) return null;
  const plain = /^[^*]*(?=\/|$)/.exec(scope)?.[0] ?? '';
  const path = pathOf(plain, root);
  const real = resolved(path, root, view);
  return real === path || plain === '' ? null : `${plain} leads to ${real}, and calls are compared with that`;
}
