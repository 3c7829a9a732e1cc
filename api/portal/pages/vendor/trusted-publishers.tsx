import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { AddPublisherDialog, RemovePublisherDialog } from './publisher-dialogs.tsx';

type Publisher = Schemas['TrustedPublisher'];

/** The dialog that is open: to add a publisher, or to remove the one at this position. */
type Open = { readonly dialog: 'add' } | { readonly dialog: 'remove'; readonly index: number };

/** Trusted Publishers: the CI runs that may import the module without a stored secret. */
export function TrustedPublishers({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().vendor.publishers;
  const { id, isAdmin } = useOrganization();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useResource(`/${id}/trustedPublishers/${moduleId}`);
  const onClose = () => setOpen(null);
  const onChanged = async () => {
    await list.reload();
    onClose();
  };
  return (
    <section>
      <div class="section-head">
        <h2>{texts.section}</h2>
        {isAdmin && list.value !== null && (
          <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
            {texts.add}
          </button>
        )}
      </div>
      <p class="lead">{texts.lead}</p>
      <Loaded of={list}>
        {({ items }) => {
          const dialog = { moduleId, publishers: items, onChanged, onClose };
          return (
            <>
              <PublisherTable publishers={items} onRemove={(index) => setOpen({ dialog: 'remove', index })} />
              {open?.dialog === 'add' && <AddPublisherDialog {...dialog} />}
              {open?.dialog === 'remove' && <RemovePublisherDialog {...dialog} index={open.index} />}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

interface PublisherTableProps {
  readonly publishers: readonly Publisher[];
  readonly onRemove: (index: number) => void;
}

function PublisherTable({ publishers, onRemove }: PublisherTableProps) {
  const { common, vendor } = useTexts();
  const { isAdmin } = useOrganization();
  const texts = vendor.publishers;
  const columns = [texts.issuer, texts.audience, texts.claims];
  if (publishers.length === 0) return <p class="empty">{texts.none}</p>;
  return (
    <Table label={texts.section} columns={isAdmin ? [...columns, common.actions] : columns}>
      {publishers.map(({ issuer, audience, claims }, index) => (
        <tr key={index}>
          <td>{issuer}</td>
          <td>{audience}</td>
          <td>
            {Object.entries(claims).map(([name, value]) => (
              <div key={name}>
                <code>
                  {name} = {String(value)}
                </code>
              </div>
            ))}
          </td>
          {isAdmin && (
            <td class="row-actions">
              <button
                type="button"
                class="secondary outline small"
                aria-label={`${texts.remove}: ${issuer}`}
                onClick={() => onRemove(index)}
              >
                {texts.remove}
              </button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}
