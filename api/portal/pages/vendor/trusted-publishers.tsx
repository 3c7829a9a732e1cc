import { useRef } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Select, TextField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { Button, RowButton, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

/** Trusted Publishers: the CI runs that may import the module without a stored secret. */
export function TrustedPublishers({ moduleId }: { readonly moduleId: string }) {
  const { common, publishers: texts } = useTexts();
  const { isAdmin } = useOrganization();
  const { list, add, remove } = usePublisherDialogs(moduleId);
  return (
    <Section
      title={texts.section}
      actions={isAdmin && <Button text={texts.add} onClick={add} />}
      lead={texts.lead}
    >
      <ListTable
        label={texts.section}
        of={list}
        empty={texts.none}
        columns={[
          [texts.issuer, ({ issuer }) => issuer],
          [texts.audience, ({ audience }) => audience],
          [
            texts.claims,
            ({ claims }) =>
              Object.entries(claims).map(([name, value]) => (
                <div key={name}>
                  <code>
                    {name} = {String(value)}
                  </code>
                </div>
              )),
          ],
        ]}
        isReadOnly={!isAdmin}
        actions={(publisher) => (
          <RowButton text={common.remove} about={publisher.issuer} onClick={() => remove(publisher)} />
        )}
      />
    </Section>
  );
}

type Publisher = Schemas['TrustedPublisher'];

/** The publishers of a module, and what changes them. */
function usePublisherDialogs(moduleId: string) {
  const { common, publishers: texts } = useTexts();
  const { id } = useOrganization();
  const path = `/${id}/trustedPublishers/${moduleId}` as const;
  const list = useList(path);
  const dialogs = useDialogs(list.reload);
  // The whole list is written: it is that of the server, which others may have changed since the page read it.
  const change = async (changed: (items: Publisher[]) => Publisher[]) => {
    const { items } = await callApi('GET', path);
    await callApi('PUT', path, { items: changed(items) });
  };
  const add = () =>
    dialogs.form({
      title: texts.add,
      action: texts.add,
      fields: {
        entered: {
          initial: enteredOf('github'),
          show: (entered, onChange) => <PublisherFields {...{ entered, onChange }} />,
        },
      },
      submit: async ({ entered: { issuer, audience, claims } }) => {
        const given = Object.entries(claims).map(([name, value]) => [name, value.trim()] as const);
        const trimmed = Object.fromEntries(given.filter(([, value]) => value !== ''));
        const added = { issuer: issuer.trim(), audience: audience.trim(), claims: trimmed };
        await change((items) => [...items, added]);
      },
    });
  const remove = (publisher: Publisher) =>
    dialogs.confirm({
      title: texts.removeTitle,
      about: publisher.issuer,
      text: texts.removeText,
      action: common.remove,
      act: () =>
        change((items) => items.filter((each) => JSON.stringify(each) !== JSON.stringify(publisher))),
    });
  return { list, add, remove };
}

/** A known CI service: its issuer, and the claims by which a run is recognized. */
const PRESETS = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    workflow: 'import.yml',
    claims: { repository_id: '', repository_owner_id: '', workflow_ref: '', ref: '', environment: '' },
  },
  gitlab: {
    issuer: 'https://gitlab.com',
    workflow: '.gitlab-ci.yml',
    claims: { project_id: '', namespace_id: '', ci_config_ref_uri: '', ref_path: '', environment: '' },
  },
  other: { issuer: '', workflow: '', claims: { sub: '' } },
} as const;
const OPTIONAL_CLAIMS: readonly string[] = ['ref', 'ref_path', 'environment'];

type Preset = keyof typeof PRESETS;

interface Entered {
  readonly preset: Preset;
  readonly issuer: string;
  readonly audience: string;
  readonly repository: string;
  readonly workflow: string;
  readonly claims: Readonly<Record<string, string>>;
}

/** The entries that claims are found for. */
const SEARCHED = ['preset', 'issuer', 'repository', 'workflow'] as const;

function enteredOf(preset: Preset, audience = location.origin): Entered {
  return { preset, audience, repository: '', ...PRESETS[preset] };
}

function isPreset(value: string): value is Preset {
  return value in PRESETS;
}

interface PublisherFieldsProps {
  readonly entered: Entered;
  readonly onChange: (entered: Entered) => void;
}

/** A field for each claim, and for a known service what fills them in. Without an ID, others could take over the name. */
function PublisherFields({ entered, onChange }: PublisherFieldsProps) {
  const texts = useTexts().publishers;
  const hints: Readonly<Record<string, string>> = texts.hints;
  const { preset, audience, claims } = entered;
  const newest = useRef(entered);
  newest.current = entered;
  const fillIn = (found: Entered['claims']) => {
    // The reader may have typed since the button was pressed: what was found is of the names that were entered then.
    const now = newest.current;
    const isSameSearch = SEARCHED.every((name) => now[name] === entered[name]);
    if (isSameSearch) onChange({ ...now, claims: { ...now.claims, ...found } });
  };
  return (
    <>
      <Select
        label={texts.service}
        options={Object.entries(texts.services)}
        value={preset}
        onChange={(value) => {
          if (isPreset(value)) onChange(enteredOf(value, audience));
        }}
      />
      {(['issuer', 'audience'] as const).map((name) => (
        <TextField
          key={name}
          {...{ label: texts[name], hint: texts[`${name}Hint`], value: entered[name] }}
          onInput={(text) => onChange({ ...entered, [name]: text })}
          required
          maxLength={255}
        />
      ))}
      {preset !== 'other' && <RepositoryFields {...{ entered, onChange, fillIn }} />}
      {Object.entries(claims).map(([name, value]) => (
        <TextField
          key={name}
          {...{ label: <code>{name}</code>, hint: hints[name] ?? null, value }}
          onInput={(text) => onChange({ ...entered, claims: { ...claims, [name]: text } })}
          required={!OPTIONAL_CLAIMS.includes(name)}
          maxLength={500}
        />
      ))}
    </>
  );
}

interface RepositoryFieldsProps extends PublisherFieldsProps {
  readonly fillIn: (found: Entered['claims']) => void;
}

/** The name of a repository, and the button that fills in its claims with the IDs that its service gives. */
function RepositoryFields({ entered, onChange, fillIn }: RepositoryFieldsProps) {
  const texts = useTexts().publishers;
  const { id } = useOrganization();
  const { issuer, repository, workflow } = entered;
  const find = async () => {
    const query = new URLSearchParams({
      issuer: issuer.trim(),
      repository: repository.trim(),
      workflow: workflow.trim(),
    });
    const answer = await callApi('GET', `/${id}/publisherClaims?${query.toString()}`);
    const found = Object.entries(answer.claims).map(([name, value]) => [name, String(value)] as const);
    fillIn(Object.fromEntries(found));
  };
  return (
    <>
      {(['repository', 'workflow'] as const).map((name) => (
        <TextField
          key={name}
          {...{ label: texts[name], hint: texts[`${name}Hint`], value: entered[name] }}
          onInput={(text) => onChange({ ...entered, [name]: text })}
          maxLength={255}
        />
      ))}
      <p>
        <Button text={texts.find} class="outline" onClick={find} />
      </p>
    </>
  );
}
