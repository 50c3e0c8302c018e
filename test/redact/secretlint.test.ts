// A real peer: whatever secretlint's recommended rules find in the corpus, redaction takes, and in the redacted corpus
// they find nothing. A marker in a password's place is shown to them as `${REDACTED}`, the placeholder they know.
import { lintSource } from '@secretlint/core';
import { creator as preset } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';
import { nearMisses, plantedSecrets } from '../corpus/redact/index.ts';

const redactor = makeRedactor();
const SEPARATOR = `\n\n${'.'.repeat(8)}\n\n`;

async function findings(content: string): Promise<{ id: string; text: string }[]> {
  const { messages } = await lintSource({
    source: { filePath: 'corpus.txt', content, contentType: 'text' },
    options: {
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: preset }] },
      noPhysicFilePath: true,
    },
  });
  return messages.map(({ ruleId, range }) => ({ id: ruleId, text: content.slice(range[0], range[1]) }));
}

const shown = (text: string) => text.replaceAll(/\[REDACTED:[a-z0-9-]+\]/g, () => `\${REDACTED}`);

describe('secretlint', () => {
  const texts = plantedSecrets().map(({ text }) => text);

  it('finds many of the planted secrets, so that it can be a witness', async () => {
    const found = await findings(texts.join(SEPARATOR));
    expect(found.length).toBeGreaterThan(100);
    expect(new Set(found.map(({ id }) => id)).size).toBeGreaterThan(8);
  });

  it('finds nothing that redaction left', async () => {
    expect(await findings(texts.map((text) => shown(redactor.text(text))).join(SEPARATOR))).toEqual([]);
    expect(await findings(shown(redactor.text(texts.join(SEPARATOR))))).toEqual([]);
  });

  it('finds nothing in the near misses either', async () => {
    expect(await findings(nearMisses().join(SEPARATOR))).toEqual([]);
  });
});
