import type { ComponentChildren } from 'preact';
import type { SessionAnswer } from '../session-answer.ts';
import { goTo, SESSIONS_PAGE } from './navigation.ts';
import { firstPage, pagesOf } from './pages.tsx';
import { Select } from './parts/fields.tsx';
import { RowButton, useNarrow } from './parts/page.tsx';
import { signOut } from './server/call-api.ts';
import { unsubscribeHere } from './server/push.ts';
import { useEvery, useList } from './server/use-resource.ts';
import { isLanguage, type Language, LANGUAGES, useLanguage, useTexts } from './texts/language.ts';

interface FrameProps {
  readonly session: SessionAnswer | null;
  readonly path: string;
  readonly onLanguage: (language: Language) => void;
  readonly children: ComponentChildren;
}

/** The frame of every page: organization, language, person and navigation. */
export function Frame({ session, path, onLanguage, children }: FrameProps) {
  const { common } = useTexts();
  return (
    <>
      <a class="skip" href="#content">
        {common.skip}
      </a>
      <header class="bar">
        <div class="container row">
          <a class="row brand" href="/portal">
            <span class="brand-mark" aria-hidden="true" />
            {common.portal}
          </a>
          {session !== null && <Organizations session={session} path={path} />}
          <div class="row bar-end">
            {session === null ? (
              <LanguageChoice onLanguage={onLanguage} />
            ) : (
              <Person name={session.name} path={path} onLanguage={onLanguage} />
            )}
          </div>
          {session !== null && <Pages session={session} path={path} />}
        </div>
      </header>
      <main id="content" class="container" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function Organizations({ session, path }: { readonly session: SessionAnswer; readonly path: string }) {
  const { common } = useTexts();
  const { organizations } = session;
  const current = organizations.find(({ id }) => path.startsWith(`/portal/${id}`));
  if (organizations.length === 0) return null;
  if (organizations.length === 1) return <span class="quiet">{organizations[0]?.name}</span>;
  const none = current === undefined ? [['', common.organization] as const] : [];
  return (
    <Select
      label={<span class="unseen">{common.organization}</span>}
      options={[...none, ...organizations.map(({ id, name }) => [id, name] as const)]}
      value={current?.id ?? ''}
      onChange={(id) => goTo(firstPage(session, id))}
    />
  );
}

function LanguageChoice({ onLanguage }: Pick<FrameProps, 'onLanguage'>) {
  const { common } = useTexts();
  return (
    <Select
      label={<span class="unseen">{common.language}</span>}
      options={Object.entries(LANGUAGES)}
      value={useLanguage()}
      onChange={(language) => {
        if (isLanguage(language)) onLanguage(language);
      }}
    />
  );
}

interface PersonProps extends Pick<FrameProps, 'path' | 'onLanguage'> {
  readonly name: string;
}

function Person({ name, path, onLanguage }: PersonProps) {
  const { common, sessions } = useTexts();
  const isNarrow = useNarrow();
  const language = <LanguageChoice onLanguage={onLanguage} />;
  const signOutButton = (
    <RowButton
      text={common.signOut}
      onClick={async () => location.assign(await signOut(await unsubscribeHere()))}
    />
  );
  if (isNarrow)
    return (
      <Fold key={path} text={name}>
        <div class="container row apart">
          <a href={SESSIONS_PAGE}>{sessions.title}</a>
          {language}
          {signOutButton}
        </div>
      </Fold>
    );
  return (
    <>
      {language}
      <a class="person" href={SESSIONS_PAGE} title={sessions.title}>
        {name}
      </a>
      {signOutButton}
    </>
  );
}

function Pages({ session, path }: { readonly session: SessionAnswer; readonly path: string }) {
  const { common } = useTexts();
  const isNarrow = useNarrow();
  const pages = pagesOf(session, path);
  if (pages.length === 0) return null;
  const [, , organizationId = ''] = pages.find(({ key }) => key === 'alerts')?.href.split('/') ?? [];
  const alertCount = organizationId !== '' && <AlertCount organizationId={organizationId} />;
  const navigation = (
    <nav class="row pages" aria-label={common.mainNavigation}>
      {pages.map(({ key, href }) => (
        <a
          key={key}
          href={href}
          aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
        >
          {common.pages[key]}
          {!isNarrow && key === 'alerts' && alertCount}
        </a>
      ))}
    </nav>
  );
  return isNarrow ? (
    <Fold
      key={path}
      text={
        <>
          {common.menu}
          {alertCount}
        </>
      }
    >
      {navigation}
    </Fold>
  ) : (
    navigation
  );
}

const COUNT_EVERY_MS = 10_000;
const MAX_COUNTED = 100;

/** The alerts that fire and wait for an acknowledgement, followed while the page is visible. */
function AlertCount({ organizationId }: { readonly organizationId: string }) {
  const texts = useTexts().alerts;
  const { value, reload, readMore } = useList(`/${organizationId}/alerts?status=firing&limit=${MAX_COUNTED}`);
  useEvery(COUNT_EVERY_MS, () => void reload());
  const waiting = (value ?? []).filter(({ acknowledgedAt }) => acknowledgedAt === null).length;
  if (waiting === 0 && readMore === null) return null;
  const count = `${waiting}${readMore === null ? '' : '+'}`;
  return (
    <>
      {' '}
      <span class="badge warn" aria-hidden="true">
        {count}
      </span>
      <span class="unseen">: {texts.waiting(count)}</span>
    </>
  );
}

interface FoldProps {
  readonly text: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of the frame that a phone opens below it. It closes with Escape. */
function Fold({ text, children }: FoldProps) {
  return (
    <details
      class="fold"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary>{text}</summary>
      {children}
    </details>
  );
}
