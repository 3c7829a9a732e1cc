import { useLayoutEffect, useState } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Ago, Badge } from '../parts/facts.tsx';
import { reasonField, TextField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { RowButton, Section } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import type { ResourceList } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type Module = Schemas['OperatedModule'];

/** The address of the modules with a name or an ID; without one, of those in quarantine. */
export function modulesAddress(searched: string) {
  const search = searched === '' ? { quarantined: 'true' } : { query: searched };
  return `/operations/modules?${new URLSearchParams({ limit: '100', ...search }).toString()}` as const;
}

interface ModulesProps {
  readonly of: ResourceList<Module>;
  /** The name or ID that the list was searched for; empty: it has the modules in quarantine. */
  readonly searched: string;
  readonly onSearch: (searched: string) => void;
}

/** The modules that operators have stopped, or those that were searched: to lift a quarantine, or to stop another module. */
export function Modules({ of: list, searched, onSearch }: ModulesProps) {
  const texts = useTexts().quarantine;
  const { number } = useFormats();
  const { value, readMore } = list;
  const isWaiting = searched === '' && value !== null && value.length > 0;
  const count = isWaiting ? { count: `${number(value.length)}${readMore === null ? '' : '+'}` } : {};
  return (
    <Section
      title={searched === '' ? texts.title : texts.found}
      actions={searched !== '' && <RowButton text={texts.title} onClick={() => onSearch('')} />}
      {...count}
      isRegion
    >
      <ModuleSearch searched={searched} onSearch={onSearch} />
      {isWaiting && <p class="quiet">{texts.lead}</p>}
      {searched === '' && value?.length === 0 ? <p class="quiet">{texts.none}</p> : <ModuleTable of={list} />}
    </Section>
  );
}

function ModuleSearch({ searched, onSearch }: Omit<ModulesProps, 'of'>) {
  const { common, quarantine: texts } = useTexts();
  const [words, setWords] = useState(searched);
  useLayoutEffect(() => setWords(searched), [searched]);
  return (
    <form
      class="market-search module-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(words.trim());
      }}
    >
      <TextField label={texts.nameOrId} value={words} onInput={setWords} maxLength={200} />
      <button type="submit">{common.search}</button>
    </form>
  );
}

function ModuleTable({ of: list }: Pick<ModulesProps, 'of'>) {
  const { common, quarantine: texts } = useTexts();
  const { start, end } = useQuarantineDialogs(list.reload);
  return (
    <ListTable
      label={common.module}
      of={list}
      empty={texts.noneFound}
      columns={[
        [common.module, (module) => <Names of={module} />],
        [common.status, (module) => <Quarantine of={module} />],
      ]}
      sentence={(module) => (
        <>
          <Names of={module} />
          <Quarantine of={module} />
        </>
      )}
      actions={(module) =>
        module.quarantine === null ? (
          <RowButton
            text={texts.startAction}
            about={nameOf(module)}
            onClick={() => start({ id: module.id, name: nameOf(module) })}
          />
        ) : (
          <RowButton text={texts.end} about={nameOf(module)} onClick={() => end(module.id)} />
        )
      }
    />
  );
}

/** The name of a module; that of its scope, or its ID, where it was deleted. */
const nameOf = ({ name, scope, id }: Module) => name ?? scope ?? id;

interface ModuleProps {
  readonly of: Module;
}

function Names({ of: module }: ModuleProps) {
  const texts = useTexts().market;
  return (
    <>
      <strong>{nameOf(module)}</strong>
      <div>
        <small>
          {texts.by(module.organizationName)}, <code>{module.scope ?? module.id}</code>
        </small>
      </div>
    </>
  );
}

function Quarantine({ of: { quarantine } }: ModuleProps) {
  const texts = useTexts().quarantine;
  if (quarantine === null) return null;
  return (
    <>
      <Badge tone="bad">{texts.stopped}</Badge> {quarantine.reason}
      <div>
        <small>
          <Ago value={quarantine.at} />
        </small>
      </div>
    </>
  );
}

/** Returns functions that stop a module, and lift its quarantine. */
export function useQuarantineDialogs(reload: () => Promise<void>) {
  const { common, quarantine: texts } = useTexts();
  const dialogs = useDialogs(reload);
  const start = ({ id, name }: { readonly id: string; readonly name: string }) =>
    dialogs.form({
      title: texts.startTitle(name),
      text: texts.startText,
      action: texts.startAction,
      fields: { reason: reasonField({ label: common.reason, hint: texts.reasonHint }) },
      submit: (body) => callApi('POST', `/operations/modules/${id}/quarantine`, body),
    });
  const end = (moduleId: string) =>
    dialogs.confirm({
      title: texts.endTitle,
      text: texts.endText,
      action: texts.end,
      isHarmless: true,
      act: () => callApi('DELETE', `/operations/modules/${moduleId}/quarantine`),
    });
  return { start, end };
}
