import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchAnswerPace, watchPace } from '../../../api/http/answer/watch-pace.ts';
import { loadConfig } from '../../../shared/config/config.ts';
import type { ProblemError } from '../../../api/http/problem.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The part of a request that its pace depends on: what its socket has read, and whether the service lags behind. */
function slowRequest(bytesPerSecond: number, readableLength = 0, least?: () => number) {
  const socket = { bytesRead: 0 };
  const request = Object.assign(new EventEmitter(), {
    socket,
    readableEnded: false,
    readableLength,
    isPaused: () => false,
  });
  const problems: ProblemError[] = [];
  watchPace(request as unknown as Request, (problem) => problems.push(problem), least);
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

test('an upload that was fast enough is ended when more is required', () => {
  let least = 16 * 1024;
  const { pass, problems } = slowRequest(16 * 1024, 0, () => least);
  pass(600);
  expect(problems).toEqual([]);
  least *= 16;
  pass(1);
  expect(problems.map(({ message }) => message)).toEqual([
    'The body arrived too slowly: under 256 KiB/s for a minute. Send it again.',
  ]);
});

/** An answer to a client that reads this much, and the cause of its end. */
function slowAnswer(bytesPerSecond: number, isClientSlow = true) {
  const socket = { bytesWritten: 0, writableLength: 0 };
  const response = { socket, writableNeedDrain: isClientSlow, writableEnded: false };
  const ends = { count: 0 };
  const settings = loadConfig({}).streams;
  watchAnswerPace(response as unknown as Response, settings, () => {
    ends.count += 1;
  });
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      socket.bytesWritten += bytesPerSecond;
      vi.advanceTimersByTime(1_000);
    }
  };
  return { pass, ends, response };
}

test('an answer whose client reads under 16 KiB/s for a minute is ended, once', () => {
  const { pass, ends } = slowAnswer(16 * 1024 - 1);
  pass(59);
  expect(ends.count).toBe(0);
  pass(120);
  expect(ends.count).toBe(1);
});

test('an answer at 16 KiB/s may take hours, also in bursts with pauses', () => {
  const { pass, ends, response } = slowAnswer(0);
  for (let minute = 0; minute < 240; minute += 1) {
    response.socket.bytesWritten += 60 * 16 * 1024;
    pass(60);
  }
  expect(ends.count).toBe(0);
});

test('what waits in the process was not read by the client', () => {
  const { pass, ends, response } = slowAnswer(0);
  response.socket.bytesWritten = response.socket.writableLength = 10_000_000;
  pass(61);
  expect(ends.count).toBe(1);
});

test('time in which the answer waits for the service does not count', () => {
  const { pass, ends } = slowAnswer(0, false);
  pass(600);
  expect(ends.count).toBe(0);
});

test('an answer whose last bytes wait for its client is ended too', () => {
  const { pass, ends, response } = slowAnswer(0, false);
  response.writableEnded = true;
  pass(61);
  expect(ends.count).toBe(1);
});

test('a pipelined answer is watched once it has its connection', () => {
  const socket = { bytesWritten: 0, writableLength: 0 };
  const response = { socket: null as typeof socket | null, writableNeedDrain: true, writableEnded: false };
  const ends = { count: 0 };
  watchAnswerPace(response as unknown as Response, loadConfig({}).streams, () => {
    ends.count += 1;
  });
  vi.advanceTimersByTime(600_000);
  expect(ends.count).toBe(0);
  response.socket = socket;
  for (let second = 0; second < 600; second += 1) {
    socket.bytesWritten += 16 * 1024;
    vi.advanceTimersByTime(1_000);
  }
  expect(ends.count).toBe(0);
  vi.advanceTimersByTime(61_000);
  expect(ends.count).toBe(1);
});
