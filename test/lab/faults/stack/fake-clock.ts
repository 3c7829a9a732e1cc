import { existsSync } from 'node:fs';

/** Debian's path for it, on the machines that tests run on. */
const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
);

/** The library that fakes a process's clock; null where it is not installed. */
export function fakeClockLibrary(): string | null {
  return LIBRARIES.find((file) => existsSync(file)) ?? null;
}

/** Has a process read its clock's offset from a file repeatedly; its monotonic clock continues unchanged. */
export function fakeClockEnvironment(clockFile: string): Record<string, string> {
  return {
    LD_PRELOAD: fakeClockLibrary() ?? '',
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}
