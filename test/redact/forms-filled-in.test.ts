// What tools that fill in forms and read tables send: the field's name and what was typed into it are two members of one
// object, or the names of the columns stand beside the rows.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';

const redactor = makeRedactor();
const typed = 'hun'.concat('ter', '42x');
const word = 'sword'.concat('fish', 'abc');

describe('K3 what is typed into a field for a secret is redacted', () => {
  it.each<[Json]>([
    [{ selector: '#password', text: typed }],
    [{ selector: 'input[name="password"]', value: word }],
    [{ selector: "input[type='password']", text: word }],
    [{ selector: '#login-form .user-password', text: word }],
    [{ selector: '#api_key', input: typed }],
    [{ label: 'Password', text: word }],
    [{ label: 'Your password', text: typed }],
    [{ label: 'API key', text: typed }],
    [{ field: 'password', content: word }],
    [{ field: 'access_token', content: typed }],
    [{ type: 'password', value: word }],
    [{ text: word, type: 'password' }],
    [{ element: 'Password textbox', ref: 'e12', text: word }],
    [{ element: 'Password input field', ref: 'e12', text: word, submit: true }],
    [{ fields: [{ name: 'Password field', type: 'textbox', ref: 'e3', value: word }] }],
    [{ id: 'password', value: word }],
    [{ placeholder: 'Enter password', text: word }],
    [{ name: 'q', type: 'password', value: word }],
    [{ key: 'db_password', text: word }],
    [{ action: 'fill', target: '#password', text: word }],
    [
      {
        columns: ['id', 'password'],
        rows: [
          [1, typed],
          [2, word],
        ],
      },
    ],
    [{ columns: [{ name: 'user' }, { name: 'api_key' }], rows: [['bob', word]] }],
    [{ headers: ['email', 'Password'], data: [['bob@h1', word]] }],
  ])('%j', (json) => {
    const redacted = JSON.stringify(redactor.value(json));
    expect(redacted).not.toContain(typed);
    expect(redacted).not.toContain(word);
    expect(redactor.value(JSON.parse(redacted))).toEqual(JSON.parse(redacted));
  });

  it('and nothing beside it', () => {
    const rows = { columns: ['id', 'user', 'password'], rows: [[7, 'bob', word]] };
    expect(redactor.value(rows)).toEqual({ ...rows, rows: [[7, 'bob', '[REDACTED:password]']] });
    const field = { element: 'Password textbox', ref: 'e12', text: word };
    expect(redactor.value(field)).toEqual({ ...field, text: '[REDACTED:password]' });
  });
});

describe('K3 what only speaks of such a field stays', () => {
  it.each<[Json]>([
    [{ selector: '#username', text: 'bob' }],
    [{ selector: '#forgot-password', text: 'Forgot your password?' }],
    [{ label: 'Password', text: 'Enter your password' }],
    [{ label: 'Password', text: 'required' }],
    [{ label: 'Forgot password', text: 'Reset' }],
    [{ id: 'password', type: 'password', label: 'Password', text: 'Password' }],
    [{ type: 'token', text: 'identifier' }],
    [{ type: 'token', value: 'const' }],
    [{ type: 'key', value: 'Enter' }],
    [{ type: 'text', text: 'The password is read from stdin.' }],
    [{ id: 'toolu_1', type: 'tool_use', name: 'Read', input: { file_path: 'src/password.ts' } }],
    [{ element: 'Show password button', ref: 'e3', text: 'show' }],
    [{ columns: ['id', 'token_count'], rows: [[1, 'many']] }],
    [{ columns: ['id', 'password'], rows: 2 }],
    [{ field: 'password', content: ['a', 'b'] }],
    [{ name: 'password', input: { minLength: 8 } }],
    [{ selector: '#password', text: '' }],
    [{ selector: '#password', text: '$PASSWORD' }],
  ])('%j', (json) => {
    expect(redactor.value(json)).toEqual(json);
  });
});
