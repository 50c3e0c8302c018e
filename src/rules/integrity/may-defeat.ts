import { languageOf } from '../../ecosystems/index.ts';

/** May code that is no test bear on tests all the same? */
export function mayDefeat(path: string, text: string): boolean {
  const { defeats = [], knowsTests = [], replaces = [] } = languageOf(path) ?? {};
  return [...defeats, ...knowsTests, ...replaces].some((form) => form.test(text));
}
