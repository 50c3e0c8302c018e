import type { Host } from '../host.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { opencodeServer } from './opencode-server.ts';

export const HOSTS: readonly Host[] = [claudeCode, gemini, codex, copilot, opencode, opencodeServer];
