import { expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createRateLimiter } from './rate-limit.ts';

it('blocks after the most, until the oldest is out of the window; a wall clock that jumps changes nothing', async () => {
  const clock = fakeClock(0);
  const limiter = createRateLimiter(clock, 2, 10_000);
  limiter.count();
  await clock.advance(4000);
  expect(limiter.blockedSeconds()).toBe(0);
  limiter.count();
  expect(limiter.blockedSeconds()).toBe(6);
  clock.jump(3_600_000);
  expect(limiter.blockedSeconds()).toBe(6);
  await clock.advance(6000);
  expect(limiter.blockedSeconds()).toBe(0);
  limiter.count();
  expect(limiter.blockedSeconds()).toBe(4);
});

it('takes an attempt off again', () => {
  const limiter = createRateLimiter(fakeClock(0), 1);
  const forgive = limiter.count();
  expect(limiter.blockedSeconds()).toBe(10);
  forgive();
  expect(limiter.blockedSeconds()).toBe(0);
});
