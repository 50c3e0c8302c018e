// The door: the transcripts that agents keep by themselves.
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { TranscriptKind } from './transcript.ts';

export type { OpenOptions, Told, TranscriptKind, TranscriptReader } from './transcript.ts';

export const TRANSCRIPTS: readonly TranscriptKind[] = [claudeCode, codex, gemini];
