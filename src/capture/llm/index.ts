// The folder's door: model APIs, read from a copy of what passes.
export {
  AnswerWatch,
  answerForm,
  type Hold,
  type Unclear,
  WATCH_LIMITS,
  type Watched,
  type WatchLimits,
} from './answer-watch.ts';
export type { Api } from './api.ts';
export { findApi } from './find-api.ts';
export { isResponsesEvent, openaiResponses } from './openai-responses.ts';
export { type ReadRequest, readRequest, unread } from './request-body.ts';
export { type Normal, normalForm, requestParts } from './request-form.ts';
export { SaidBesides } from './said-besides.ts';
