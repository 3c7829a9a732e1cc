import { onTestFinished, vi } from 'vitest';
import type { NewUpload, Receiving } from '../../api/imports/import-groups.ts';
import type { TestApp } from './test-app.ts';

/** Until the test ends, the service writes uploads when this number of them is stored, all in one statement. */
export function acceptAtOnce(app: TestApp, uploads: number): void {
  const { groups } = app.api.imports;
  const receive = groups.receive.bind(groups);
  let stored: (() => void)[] = [];
  const allStored = () =>
    new Promise<void>((resolve) => {
      stored.push(resolve);
      if (stored.length < uploads) return;
      for (const each of stored) each();
      stored = [];
    });
  const held = ({ accept, end }: Receiving): Receiving => ({
    async accept(upload: NewUpload) {
      await allStored();
      return accept(upload);
    },
    end,
  });
  const spy = vi.spyOn(groups, 'receive').mockImplementation((id) => held(receive(id)));
  onTestFinished(() => spy.mockRestore());
}
