// The oldest key of a bounded map, also after it was empty, and when keys went or came again meanwhile.
import { expect, it } from 'vitest';
import { oldestKeyOf } from '../../src/verify/oldest-key.ts';

it('gives each key once, oldest first', () => {
  const map = new Map<string, number>();
  const oldest = oldestKeyOf(map);
  const take = (): string | undefined => {
    const key = oldest();
    if (key !== undefined) map.delete(key);
    return key;
  };
  expect(take()).toBeUndefined();
  for (const key of 'abcd') map.set(key, 0);
  expect(take()).toBe('a');
  map.delete('b');
  map.delete('c');
  map.set('c', 1);
  map.set('a', 1);
  expect([take(), take(), take(), take()]).toEqual(['d', 'c', 'a', undefined]);
  map.set('b', 2);
  expect([take(), take()]).toEqual(['b', undefined]);
});
