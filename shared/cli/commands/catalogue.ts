import { command, JSON_FLAG } from '../command.ts';
import type { Columns } from '../output.ts';
import { answered, openServer, SERVER_FLAGS } from '../server.ts';

/** `modulectl catalogue`: lists the IDs of the server's catalogue that packages refer to. */
export const catalogue = command({
  name: 'catalogue',
  summary: 'list the IDs that packages refer to',
  description: "List the sets of the server's catalogue, or the entries of one set.",
  args: { set: { usage: '[set]', text: 'a set, such as languages' } },
  flags: { ...JSON_FLAG, ...SERVER_FLAGS },
  async call(cli, { set, json, ...server }) {
    const client = await openServer(cli, server);
    const list = <Item>(items: readonly Item[], columns: Columns<Item>) => {
      if (json === true) cli.output.json(items);
      else cli.output.table(items, columns);
    };
    if (set === undefined) {
      const { items } = await answered(
        client.GET('/api/v8.0/CommonData', { params: { query: { limit: 200 } } }),
      );
      list(items, { set: ({ key }) => key, entries: ({ count }) => String(count) });
    } else {
      const call = client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } } });
      const { items } = await answered(call);
      list(items, { id: ({ id }) => id, key: ({ key }) => key, value: ({ value }) => value });
    }
  },
});
