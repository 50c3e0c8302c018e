import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { encodeNeed, type Need, parseNeed } from '../../src/policy/authority/need.ts';
import { suggestGrants } from '../../src/policy/authority/suggest-grants.ts';

const ROOT = '/work/app';
const need = (text: string): Need => {
  const parsed = parseNeed(text);
  if (parsed === null) throw new Error(`${text} is no need`);
  return parsed;
};
const suggested = (...texts: string[]) => suggestGrants(texts.map(need), ROOT);

describe('suggested grants', () => {
  it('O3 name what was used, and no more', () => {
    expect(
      suggested(
        'fs:read:/work/app/src/a',
        'fs:write:/work/app/src/a',
        'fs:read:/etc/hosts',
        'fs:read:/work/app',
        'process:exec:cat',
        'process:exec:/work/app/x.sh',
        'process:exec:/work/app/bin/y',
        'process:exec:/opt/z',
        'network:get:api.example.org:8080',
        'mcp:call:github/get_issue',
      ),
    ).toEqual({
      allow: [
        'fs:read:/etc/hosts',
        'fs:read:/work/app',
        'fs:read:src/a',
        'fs:write:src/a',
        'mcp:call:github/get_issue',
        'network:get:api.example.org:8080',
        'process:exec:./x.sh',
        'process:exec:/opt/z',
        'process:exec:bin/y',
        'process:exec:cat',
      ],
      left: [],
    });
  });

  it('O3 fold many files of one folder, never the work tree itself, hidden files or what lies outside', () => {
    const five = (folder: string, name = 'f') =>
      Array.from({ length: 5 }, (_, n) => `fs:read:${folder}/${name}${n}`);
    expect(suggested(...five('/work/app/src')).allow).toEqual(['fs:read:src/*']);
    expect(suggested(...five('/work/app/src').slice(1)).allow).toHaveLength(4);
    for (const apart of [five('/work/app'), five('/etc'), five('/work/app/src', '.f')])
      expect(suggested(...apart).allow).toHaveLength(5);
  });

  it('O3 fold no folder with a file in it that was refused, and call nothing left that a folder covers', () => {
    const five = Array.from({ length: 5 }, (_, n) => need(`fs:read:/work/app/src/f${n}`));
    expect(suggestGrants(five, ROOT, [need('fs:read:/work/app/src/.env')]).allow).toHaveLength(5);
    expect(suggestGrants(five, ROOT, [need('fs:read:/work/app/test/.env')]).allow).toEqual(['fs:read:src/*']);
    expect(suggestGrants([...five, need('fs:read:/work/app/src/[id].ts')], ROOT)).toEqual({
      allow: ['fs:read:src/*'],
      left: [],
    });
  });

  it('O3 leave out what a wider need covers already', () => {
    expect(suggested('fs:read:/work/app/src/a', 'fs:read:/work/app/src/**').allow).toEqual([
      'fs:read:src/**',
    ]);
  });

  it('O3 hand back what has no narrow form', () => {
    const left = ['fs:read:/**', 'process:exec:**', 'fs:read:/work/app/\\*', 'fs:read:/work/app/a?b'];
    expect(suggested(...left)).toEqual({ allow: [], left });
  });

  it('O3 allow every need that they were made from', () => {
    const name = fc.constantFrom('a', 'b', '.c', 'd*', 'e f', 'g?', 'ä');
    const path = fc.array(name, { maxLength: 4 }).map((names) => names.join('/'));
    const text = fc.tuple(
      fc.constantFrom('fs:read:/work/app/', 'fs:write:/work/app/', 'fs:read:/', 'process:exec:/work/app/'),
      path,
      fc.constantFrom('', '/**'),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        const needs = texts.flatMap(([start, middle, end]) => {
          const parsed = middle === '' ? null : parseNeed(`${start}${middle}${end}`);
          return parsed === null ? [] : [parsed];
        });
        const { allow, left } = suggestGrants(needs, ROOT);
        const parsed = parseGrants({ allow, deny: [] });
        const grants = new Grants(parsed.allow, [], ROOT);
        for (const each of needs)
          expect(grants.decide(each).allowed || left.includes(encodeNeed(each)), encodeNeed(each)).toBe(true);
      }),
    );
  });
});
