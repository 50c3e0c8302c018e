// For which settings files Claude Code passes over the whole file, so that no hook in it runs: what is no JSON, what is too
// large, a member of a wrong kind, and hooks of PreToolUse or PermissionRequest that it can't use or that stand in a wrong
// place. Hooks of other events that it can't use are passed over by themselves. Seen with 2.1.325. An administrator's files
// are read in another way: there it takes what it can use.
import {
  FILLED,
  FLAG,
  faultIn,
  isObject,
  MEMBERS,
  type Members,
  NEEDED,
  oneOf,
  recordOf,
  TEXT,
  TEXTS,
  TIME,
} from './claude-code-members.ts';
import { isPlainJson } from './document.ts';
import type { Settings } from './host.ts';

const MAX_BYTES = 2 << 20;

/** Why, in words behind the file's path; null where it is read. */
export function whyPassedOver(text: string): string | null {
  if (Buffer.byteLength(text) > MAX_BYTES) return 'is larger than 2 MB';
  if (!isPlainJson(text)) return 'has a comment or an extra comma';
  const settings: unknown = text.trim() === '' ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isObject(settings)) return null;
  const fault = faultIn(settings, MEMBERS, NEEDED) ?? faultInGuards(settings.hooks);
  if (fault !== undefined) return `has ${fault}`;
  if (isOutside(settings)) return 'has PreToolUse or PermissionRequest hooks outside "hooks"';
  return null;
}

/** For a fault in hooks of these, whatever stands beside them is not applied. */
const GUARDS: readonly string[] = ['PreToolUse', 'PermissionRequest'];
const EVENTS: ReadonlySet<string> = new Set(
  'PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay'.split(
    ' ',
  ),
);

const OF_ALL: Members = [
  [TEXT, 'if statusMessage'],
  [TIME, 'timeout'],
  [FLAG, 'once'],
];
const ON_FAILURE = oneOf('continue', 'block');
const TYPES: Readonly<Record<string, { readonly members: Members; readonly needed: readonly string[] }>> = {
  command: {
    members: [
      [TEXT, 'command'],
      [FILLED, 'rewakeMessage rewakeSummary'],
      [TEXTS, 'args'],
      [FLAG, 'async asyncRewake'],
      [oneOf('bash', 'powershell'), 'shell'],
      [ON_FAILURE, 'onFailure'],
    ],
    needed: ['command'],
  },
  http: {
    members: [
      [{ fits: (url) => typeof url === 'string' && URL.canParse(url), called: 'an address' }, 'url'],
      [recordOf(TEXT, 'an object of texts'), 'headers'],
      [TEXTS, 'allowedEnvVars'],
      [ON_FAILURE, 'onFailure'],
    ],
    needed: ['url'],
  },
  prompt: {
    members: [
      [TEXT, 'prompt model'],
      [FLAG, 'continueOnBlock'],
    ],
    needed: ['prompt'],
  },
  agent: { members: [[TEXT, 'prompt model']], needed: ['prompt'] },
  mcp_tool: {
    members: [
      [TEXT, 'server tool'],
      [{ fits: isObject, called: 'an object' }, 'input'],
    ],
    needed: ['server', 'tool'],
  },
};

function faultInGuards(hooks: unknown): string | undefined {
  for (const event of GUARDS) {
    const list = isObject(hooks) ? hooks[event] : undefined;
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) return `"hooks.${event}" that is not a list`;
    const at = list.findIndex((group) => !isGroup(group));
    if (at >= 0) return `a hook in "hooks.${event}" that can't be used (number ${at + 1})`;
  }
  return undefined;
}

function isGroup(group: unknown): boolean {
  if (!isObject(group)) return false;
  const { matcher, hooks } = group;
  if (matcher !== undefined && typeof matcher !== 'string') return false;
  return Array.isArray(hooks) && hooks.every(isHook);
}

function isHook(hook: unknown): boolean {
  if (!isObject(hook)) return false;
  const { type } = hook;
  const wanted = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (wanted === undefined) return false;
  return faultIn(hook, [...wanted.members, ...OF_ALL], wanted.needed) === undefined;
}

/** Where it does not look for hooks in a wrong place. */
const NOT_SEARCHED: ReadonlySet<string> = new Set(
  'mcpServers managedMcpServers lspServers pluginConfigs enabledPlugins extraKnownMarketplaces env skillOverrides modelSettings'.split(
    ' ',
  ),
);
const DEPTH = 3;

function isOutside(settings: Settings): boolean {
  const { hooks, ...others } = settings;
  if (hasGuards(others) || (Array.isArray(hooks) && hooks.some(isObject)) || isLikeGroup(hooks)) return true;
  const isElsewhere = Object.entries(others).some(
    ([name, value]) =>
      !NOT_SEARCHED.has(name) && holds(value, { groups: !EVENTS.has(name), skipped: NOT_SEARCHED }),
  );
  return isElsewhere || Object.entries(isObject(hooks) ? hooks : {}).some(isInEvent);
}

/** In the list of an event there are groups; in what is no event, nothing that looks like one. */
function isInEvent([event, list]: readonly [string, unknown]): boolean {
  if (!EVENTS.has(event)) return holds(list, { groups: !Array.isArray(list) });
  const values: readonly unknown[] = Array.isArray(list) ? list : [list];
  return values.some((value) => holds(value, { groups: false }));
}

interface Search {
  /** Does what looks like a group count as well? */
  readonly groups: boolean;
  readonly skipped?: ReadonlySet<string>;
  /** In a list of hooks, where something with a type is a hook. */
  readonly among?: boolean;
}

function holds(value: unknown, search: Search, depth = DEPTH): boolean {
  const { groups, skipped, among = false } = search;
  if (hasGuards(value) || (groups && isLikeGroup(value))) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.some((each) => holds(each, search, depth - 1));
  if (!isObject(value) || (among && typeof value.type === 'string')) return false;
  return Object.entries(value).some(
    ([name, each]) =>
      skipped?.has(name) !== true &&
      holds(
        each,
        { ...search, groups: groups && !EVENTS.has(name), among: name === 'hooks' && Array.isArray(each) },
        depth - 1,
      ),
  );
}

function hasGuards(value: unknown): boolean {
  return (
    isObject(value) &&
    GUARDS.some((name) => {
      const said = value[name] ?? null;
      return said !== null && !(Array.isArray(said) && said.length === 0);
    })
  );
}

function isLikeGroup(value: unknown): boolean {
  if (!isObject(value)) return false;
  const hasMatcher = 'matcher' in value;
  if (!hasMatcher && Object.keys(value).some((name) => EVENTS.has(name))) return false;
  const { hooks } = value;
  if (Array.isArray(hooks)) return hooks.length > 0;
  return isObject(hooks) && (hasMatcher || typeof hooks.type === 'string');
}
