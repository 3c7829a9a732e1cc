import { EventEmitter } from 'node:events';
import type { Request } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchPace } from '../../../api/http/watch-pace.ts';
import type { ProblemError } from '../../../api/http/problem.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The part of a request that its pace depends on: what its socket has read, and whether the service lags behind. */
function slowRequest(bytesPerSecond: number, readableLength = 0) {
  const socket = { bytesRead: 0 };
  const request = Object.assign(new EventEmitter(), {
    socket,
    readableEnded: false,
    readableLength,
    isPaused: () => false,
  });
  const problems: ProblemError[] = [];
  watchPace(request as unknown as Request, (problem) => problems.push(problem));
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      socket.bytesRead += bytesPerSecond;
      vi.advanceTimersByTime(1_000);
    }
  };
  return { pass, problems };
}

test('an upload that stalls for a minute is ended with request-too-slow', () => {
  const { pass, problems } = slowRequest(0);
  pass(59);
  expect(problems).toEqual([]);
  pass(3);
  expect(problems.map(({ code }) => code)).toEqual(['request-too-slow']);
});

test('an upload under 16 KiB/s is ended', () => {
  const { pass, problems } = slowRequest(16 * 1024 - 1);
  pass(62);
  expect(problems).toHaveLength(1);
});

test('an upload at 16 KiB/s may take hours', () => {
  const { pass, problems } = slowRequest(16 * 1024);
  pass(4 * 3_600);
  expect(problems).toEqual([]);
});

test('time in which bytes wait for the service does not count', () => {
  const { pass, problems } = slowRequest(0, 65_536);
  pass(600);
  expect(problems).toEqual([]);
});
