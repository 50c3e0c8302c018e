// What Claude Code wants the members of a settings file to be. For a wrong value in one of these it passes over the whole
// file, and our hooks with it; a member that is not here may be anything, because it is passed over by itself. Seen with
// 2.1.325, whose `claude doctor` names each member that it does not take. Not here: what stands deeper in
// `sandbox.credentials`, in `pluginConfigs` and in lists of objects.
import { inside, type Settings } from './host.ts';

export interface Wanted {
  readonly fits: (value: unknown) => boolean;
  /** Behind "is not". */
  readonly called: string;
}

/** The names stand in one text, so that a reader sees the groups. A dot leads into an object. */
export type Members = readonly (readonly [Wanted, string])[];

export function isObject(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const FLAG: Wanted = { fits: (value) => typeof value === 'boolean', called: 'true or false' };
export const TEXT: Wanted = { fits: (value) => typeof value === 'string', called: 'a text' };
const OBJECT: Wanted = { fits: isObject, called: 'an object' };
const LIST: Wanted = { fits: Array.isArray, called: 'a list' };
export const FILLED: Wanted = {
  fits: (value) => typeof value === 'string' && value !== '',
  called: 'a text with something in it',
};
export const TEXTS = listOf(TEXT, 'a list of texts');
const NUMBER = number(() => true, 'a number');
const COUNT = number((value) => Number.isSafeInteger(value) && value > 0, 'a whole number above 0');
const WHOLE = number((value) => Number.isSafeInteger(value) && value >= 0, 'a whole number');
const PART = number((value) => value > 0 && value <= 1, 'a number above 0 and up to 1');
const SHARE = number((value) => value >= 0 && value <= 1, 'a number from 0 to 1');
export const TIME = number((value) => value > 0, 'a number above 0');
const NAME: Wanted = {
  fits: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value),
  called: 'a name',
};
const STAR_LAST: Wanted = {
  fits: (value) => typeof value === 'string' && !value.slice(0, -1).includes('*'),
  called: 'a text whose only star is at its end',
};
const CLOCK: Wanted = {
  fits: (value) => typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value),
  called: 'a time such as "07:00"',
};
const ON_OR_VERSIONS: Wanted = {
  fits: (value) => typeof value === 'boolean' || Array.isArray(value),
  called: 'true, false or a list',
};

export function oneOf(...words: readonly string[]): Wanted {
  const fits = (value: unknown): boolean => typeof value === 'string' && words.includes(value);
  return { fits, called: words.map((word) => JSON.stringify(word)).join(' or ') };
}

export function recordOf({ fits }: Wanted, called: string): Wanted {
  return { fits: (value) => isObject(value) && Object.values(value).every(fits), called };
}

function listOf({ fits }: Wanted, called: string): Wanted {
  return { fits: (value) => Array.isArray(value) && value.every(fits), called };
}

/** With these texts in it. */
function objectWith(...names: readonly string[]): Wanted {
  return {
    fits: (value) => isObject(value) && names.every((name) => typeof value[name] === 'string'),
    called: 'an object',
  };
}

function number(fits: (value: number) => boolean, called: string): Wanted {
  // Seen: 1e999 is none.
  return { fits: (value) => typeof value === 'number' && Number.isFinite(value) && fits(value), called };
}

function either(a: Wanted, b: Wanted): Wanted {
  return { fits: (value) => a.fits(value) || b.fits(value), called: `${a.called} or ${b.called}` };
}

function orNull({ fits, called }: Wanted): Wanted {
  return { fits: (value) => value === null || fits(value), called };
}

export const MEMBERS: Members = [
  [
    FLAG,
    'respectGitignore wslInheritsWindowsSettings includeCoAuthoredBy includeGitInstructions disableAllHooks disableReplyCheck workflowKeywordTriggerEnabled bashEditDiffEnabled respondToBashCommands allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp forceRemoteSettingsRefresh spinnerTipsEnabled clawdFileProgressEnabled syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled fastMode promptSuggestionEnabled emojiCompletionEnabled awaySummaryEnabled showClearContextOnPlanAccept prefersReducedMotion doneMeansMerged totalTokensReminderAfterUserTurn autoMemoryEnabled autoDreamEnabled showThinkingSummaries verbose autoCompactEnabled precomputeCompactionEnabled idleCompaction switchModelsOnFlag autoScrollEnabled wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration showMessageTimestamps terminalProgressBarEnabled todoFeatureEnabled inputNeededNotifEnabled agentPushNotifEnabled voiceEnabled axScreenReader',
  ],
  [
    FLAG,
    'breakReminder.enabled quietHours.enabled statusLine.hideVimModeIndicator voice.enabled voice.autoSubmit remoteTools.allowUnattendedServing attribution.sessionUrl autoMode.classifyAllShell permissions.blockReadsOutsideWorkingDirectories permissions.blockFileToolReadsOutsideWorkingDirectories permissions.blockWritesOutsideWorkingDirectories permissions.denyInsteadOfPrompting sandbox.enabled sandbox.failIfUnavailable sandbox.autoAllowBashIfSandboxed sandbox.allowUnsandboxedCommands sandbox.enableWeakerNestedSandbox sandbox.allowNestedUserNamespaces sandbox.enableWeakerNetworkIsolation sandbox.allowAppleEvents sandbox.credentials.allowPlaintextInject sandbox.network.strictAllowlist sandbox.network.allowManagedDomainsOnly sandbox.network.allowAllUnixSockets sandbox.network.allowLocalBinding sandbox.filesystem.allowManagedReadPathsOnly sandbox.filesystem.disabled',
  ],
  [
    orNull(FLAG),
    'syncClaudeAiSkills syncClaudeAiPlugins enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors disableBundledSkills disableAgentView disableRemoteControl disableWorkflows disableArtifact enableArtifact enableWorkflows disableSkillShellExecution disableWindowsBashCommandSplit allowManagedHooksOnly allowManagedPermissionRulesOnly allowManagedMcpServersOnly disableCommandPluginSources disableSideloadFlags skipWebFetchPreflight fastModePerSessionOptIn responseComparisonEnabled channelsEnabled skipDangerousModePermissionPrompt skipWorkflowUsageWarning autoContinueAtUsageLimit remoteControlAtStartup isolatePeerMachines autoUploadSessions skipAutoPermissionPrompt useAutoModeDuringPlan',
  ],
  [
    TEXT,
    '$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper attributionProject model prUrlTemplate otelHeadersHelper outputStyle language advisorModel agent minimumVersion requiredMinimumVersion requiredMaximumVersion plansDirectory timeFormat timeZone autoMemoryDirectory claudeMd pluginTrustMessage',
  ],
  [
    TEXT,
    'fileSuggestion.command breakReminder.message statusLine.command remote.defaultEnvironmentId attribution.commit attribution.pr sandbox.ripgrep.command',
  ],
  [FILLED, 'sandbox.network.tlsTerminate.caCertPath sandbox.network.tlsTerminate.caKeyPath'],
  [listOf(STAR_LAST, 'a list of texts with a star at their end alone'), 'sandbox.network.allowMachLookup'],
  [OBJECT, 'breakReminder quietHours env permissions worktree sandbox remote voice remoteTools autoMode'],
  [
    OBJECT,
    'fileSuggestion statusLine spinnerVerbs sandbox.network sandbox.network.tlsTerminate sandbox.filesystem sandbox.credentials sandbox.ripgrep',
  ],
  [either(OBJECT, FLAG), 'attribution'],
  [recordOf(TEXT, 'an object of texts'), 'modelOverrides'],
  [
    recordOf(oneOf('on', 'name-only', 'user-invocable-only', 'off'), 'an object of known words'),
    'skillOverrides',
  ],
  [recordOf(ON_OR_VERSIONS, 'an object of true, false or lists'), 'enabledPlugins'],
  [recordOf(OBJECT, 'an object of objects'), 'pluginConfigs'],
  [recordOf(TEXTS, 'an object of lists of texts'), 'sandbox.ignoreViolations'],
  [
    TEXTS,
    'fallbackModel availableModels allowedHttpHookUrls httpHookAllowedEnvVars pluginSuggestionMarketplaces companyAnnouncements claudeMdExcludes worktree.symlinkDirectories worktree.sparsePaths spinnerVerbs.verbs autoMode.allow autoMode.soft_deny autoMode.hard_deny autoMode.environment permissions.additionalDirectories sandbox.excludedCommands sandbox.ripgrep.args sandbox.network.allowedDomains sandbox.network.deniedDomains sandbox.network.allowUnixSockets sandbox.filesystem.allowWrite sandbox.filesystem.denyWrite sandbox.filesystem.denyRead sandbox.filesystem.allowRead',
  ],
  [listOf(objectWith('marketplace', 'plugin'), 'a list of plugins'), 'allowedChannelPlugins'],
  [listOf(objectWith('id', 'name', 'sshHost'), 'a list of hosts'), 'sshConfigs'],
  [either(TEXT, TEXTS), 'forceLoginOrgUUID'],
  [either(NAME, TEXTS), 'enabledMcpjsonServers disabledMcpjsonServers'],
  [
    LIST,
    'permissions.allow permissions.deny permissions.ask sandbox.credentials.files sandbox.credentials.envVars sandbox.credentials.awsPairs',
  ],
  [
    orNull(listOf(objectWith('source'), 'a list of marketplaces')),
    'strictKnownMarketplaces allowedMarketplaces blockedMarketplaces',
  ],
  [COUNT, 'cleanupPeriodDays skillListingMaxDescChars totalTokensReminderBudget'],
  [COUNT, 'breakReminder.intervalMinutes breakReminder.breakThresholdMinutes'],
  [WHOLE, 'desktopSessionCleanupPeriodDays'],
  [NUMBER, 'statusLine.padding sandbox.network.httpProxyPort sandbox.network.socksProxyPort'],
  [PART, 'skillListingBudgetFraction'],
  [SHARE, 'feedbackSurveyRate'],
  [CLOCK, 'quietHours.start quietHours.end'],
  [oneOf('unrestricted', 'small', 'medium', 'large'), 'workflowSizeGuideline'],
  [oneOf('bash', 'powershell'), 'defaultShell'],
  [oneOf('first-wins', 'merge'), 'parentSettingsBehavior managedSourcesBehavior'],
  [oneOf('latest', 'stable', 'rc'), 'autoUpdatesChannel'],
  [oneOf('default', 'fullscreen'), 'tui'],
  [oneOf('off', 'infinite', 'fixed', 'countdown', 'padded-countdown'), 'totalTokensReminder'],
  [oneOf('transient', 'ask'), 'daemonColdStart'],
  [oneOf('chat', 'transcript'), 'defaultView'],
  [orNull(oneOf('notify', 'quiet', 'off')), 'feedbackDrafts'],
  [orNull(oneOf('disable')), 'disableAutoMode disableDeepLinkRegistration'],
  [oneOf('disable'), 'permissions.disableBypassPermissionsMode permissions.disableAutoMode'],
  [
    oneOf('acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan'),
    'permissions.defaultMode',
  ],
  [oneOf('command'), 'fileSuggestion.type statusLine.type'],
  [oneOf('fresh', 'head'), 'worktree.baseRef'],
  [oneOf('append', 'replace'), 'spinnerVerbs.mode'],
  [oneOf('hold', 'tap'), 'voice.mode'],
];

/** Those must be there where the object is. */
export const NEEDED: readonly string[] = [
  'fileSuggestion.type',
  'fileSuggestion.command',
  'statusLine.type',
  'statusLine.command',
  'spinnerVerbs.mode',
  'spinnerVerbs.verbs',
  'sandbox.ripgrep.command',
];

/** The first member that is not what is wanted, in words: `"permissions" that is not an object`. */
export function faultIn(settings: unknown, members: Members, needed: readonly string[]): string | undefined {
  for (const [{ fits, called }, names] of members)
    for (const name of names.split(' ')) {
      const path = name.split('.');
      const around = path.slice(0, -1).reduce<unknown>(inside, settings);
      const value = inside(around, path.at(-1) ?? '');
      const isMissing = value === undefined && needed.includes(name) && isObject(around);
      if (isMissing || (value !== undefined && !fits(value))) return `"${name}" that is not ${called}`;
    }
  return undefined;
}
