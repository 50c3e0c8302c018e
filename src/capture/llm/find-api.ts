// Which API a request speaks, by its path: the same one may be had from many hosts, under any prefix.
import { anthropic } from './anthropic.ts';
import type { Api } from './api.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { other } from './other.ts';

/** `path` is without the query. */
export function findApi(method: string, path: string): Api {
  if (method !== 'POST') return other;
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/chat/completions')) return openaiChat;
  if (path.endsWith('/responses')) return openaiResponses;
  if (path.endsWith(':generateContent') || path.endsWith(':streamGenerateContent')) return gemini;
  return other;
}
