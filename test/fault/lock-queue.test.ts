// The queue before the turnstile. Each lock here has an open file description of its own, as another process has.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { after, OsLock, SECTION } from '../../src/store/files/index.ts';
import { temporary } from '../temporary.ts';

const FIRST_PLACE = 16;

function locks(count: number): OsLock[] {
  const path = join(temporary(), 'lock');
  const all = Array.from({ length: count }, () => new OsLock(path));
  onTestFinished(() => all.forEach((lock) => void lock.close()));
  return all;
}

it('K5a who comes first enters first, however many wait', async () => {
  const [holder, ...others] = locks(31) as [OsLock, ...OsLock[]];
  await holder.enter(after(1000));
  const order: number[] = [];
  const entering = others.map(async (lock, at) => {
    await lock.enter(after(20_000));
    order.push(at);
    lock.unlock(SECTION);
  });
  // Long enough for all of them to ask again and again.
  await new Promise((resolve) => setTimeout(resolve, 150));
  holder.unlock(SECTION);
  await Promise.all(entering);
  expect(order).toEqual(others.map((_, at) => at));
});

it('K5d somebody in the queue who is suspended, or gives up, keeps nobody out', async () => {
  const [suspended, holder, hasty, patient] = locks(4) as [OsLock, OsLock, OsLock, OsLock];
  await holder.enter(after(1000));
  expect(suspended.tryLock(FIRST_PLACE)).toBe(true);
  const hurried = hasty.enter(after(20));
  const waiting = patient.enter(after(20_000));
  await expect(hurried).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  holder.unlock(SECTION);
  await waiting;
  expect(suspended.tryLock(SECTION)).toBe(false);
});

it('K5d a crowd larger than the queue enters all the same', async () => {
  const crowd = locks(104);
  let inside = 0;
  await Promise.all(
    crowd.map(async (lock) => {
      await lock.enter(after(20_000));
      expect(++inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      lock.unlock(SECTION);
    }),
  );
});
