import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox, type Field, OVERLAP_SECONDS, textField, useOverlapField } from '../parts/fields.tsx';
import { useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Webhook = Schemas['Webhook'];
type EventTypes = Webhook['types'];

const MAX_URL = 2_048;
const MAX_DESCRIPTION = 200;

/** Returns what opens the dialogs about a module's webhooks: to add or change one, make new keys for it, and delete it. */
export function useWebhookDialogs(moduleId: string, reload: () => Promise<unknown>) {
  const { id } = useOrganization();
  const path = `/${id}/webhooks/${moduleId}` as const;
  const { common, webhooks: texts } = useTexts();
  const dialogs = useDialogs(reload);
  const settingsFields = useSettingsFields();
  const overlapField = useOverlapField(texts.overlap);
  const showSecret = ({ url: about, secret: value }: Schemas['WebhookWithSecret']) =>
    dialogs.secret({ ...texts.secret, about, value });
  const edit = (webhook: Webhook | null) =>
    dialogs.form({
      title: webhook === null ? texts.add : texts.editTitle,
      action: webhook === null ? texts.add : common.save,
      fields: settingsFields(webhook),
      isReady: ({ types }) => types?.length !== 0,
      submit: async ({ url, description, types }) => {
        const body = { url: url.trim(), description: description.trim() || null, types };
        if (webhook === null) showSecret(await callApi('POST', path, body));
        else await callApi('PATCH', `${path}/${webhook.id}`, changedMembers(webhook, body));
      },
    });
  const rotate = (webhook: Webhook) =>
    dialogs.form({
      title: texts.rotateTitle,
      action: texts.rotate,
      fields: { overlap: overlapField },
      submit: async ({ overlap }) => {
        const body = { overlapSeconds: OVERLAP_SECONDS[overlap] };
        showSecret(await callApi('POST', `${path}/${webhook.id}/rotate`, body));
      },
    });
  const remove = (webhook: Webhook) =>
    dialogs.confirm({
      title: texts.removeTitle,
      about: webhook.url,
      text: texts.removeText,
      action: common.delete,
      act: () => callApi('DELETE', `${path}/${webhook.id}`),
    });
  return { edit, rotate, remove };
}

/** What the reader has changed: the others may have been changed elsewhere since the page read them. */
function changedMembers(
  webhook: Webhook,
  { url, description, types }: Pick<Webhook, 'url' | 'description' | 'types'>,
) {
  return {
    ...(url !== webhook.url && { url }),
    ...(description !== webhook.description && { description }),
    ...(types?.join() !== webhook.types?.join() && { types }),
  };
}

/** Returns the fields of a webhook: where it is, and which events it gets. */
function useSettingsFields() {
  const { common, webhooks: texts } = useTexts();
  return (webhook: Webhook | null) => {
    const types: Field<EventTypes> = {
      initial: webhook?.types ?? null,
      show: (chosen, onChange) => <EventFields types={chosen} onChange={onChange} />,
    };
    return {
      url: textField({
        ...{ label: texts.url, hint: texts.urlHint, value: webhook?.url ?? '' },
        ...{ required: true, maxLength: MAX_URL },
      }),
      description: textField({
        ...{ label: common.description, hint: texts.descriptionHint, value: webhook?.description ?? '' },
        maxLength: MAX_DESCRIPTION,
      }),
      types,
    };
  };
}

interface EventFieldsProps {
  readonly types: EventTypes;
  readonly onChange: (types: EventTypes) => void;
}

/** The selected events: all, including later ones, or some. */
function EventFields({ types, onChange }: EventFieldsProps) {
  const texts = useTexts().webhooks;
  const events: Readonly<Record<NonNullable<EventTypes>[number], string>> = texts.events;
  const isType = (name: string): name is keyof typeof events => name in events;
  const all = Object.keys(events).filter(isType);
  return (
    <fieldset>
      <legend>{texts.types}</legend>
      <Checkbox checked={types === null} onChange={(isAll) => onChange(isAll ? null : all)}>
        {texts.allTypes}
      </Checkbox>
      {types !== null &&
        all.map((type) => (
          <Checkbox
            key={type}
            checked={types.includes(type)}
            onChange={(isChosen) =>
              onChange(all.filter((each) => (each === type ? isChosen : types.includes(each))))
            }
            hint={events[type]}
          >
            <code>{type}</code>
          </Checkbox>
        ))}
      {types?.length === 0 && <p role="alert">{texts.chooseType}</p>}
    </fieldset>
  );
}
