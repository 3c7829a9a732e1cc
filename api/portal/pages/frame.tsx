import type { ComponentChildren } from 'preact';
import type { SessionAnswer } from '../session-answer.ts';
import { goTo, SESSIONS_PAGE } from './navigation.ts';
import { firstPage, pagesOf } from './pages.tsx';
import { RowButton } from './parts/page.tsx';
import { signOut } from './server/call-api.ts';
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
            <LanguageChoice onLanguage={onLanguage} />
            {session !== null && <Person name={session.name} />}
          </div>
        </div>
        {session !== null && <Pages session={session} path={path} />}
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
  return (
    <select
      class="quiet"
      aria-label={common.organization}
      value={current?.id ?? ''}
      onChange={({ currentTarget }) => goTo(firstPage(session, currentTarget.value))}
    >
      {current === undefined && <option value="">{common.organization}</option>}
      {organizations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function LanguageChoice({ onLanguage }: Pick<FrameProps, 'onLanguage'>) {
  const { common } = useTexts();
  const language = useLanguage();
  return (
    <select
      aria-label={common.language}
      value={language}
      onChange={({ currentTarget: { value } }) => {
        if (isLanguage(value)) onLanguage(value);
      }}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Person({ name }: { readonly name: string }) {
  const { common, sessions } = useTexts();
  const leave = async () => {
    location.assign(await signOut());
  };
  return (
    <>
      <a class="person" href={SESSIONS_PAGE} title={sessions.title}>
        {name}
      </a>
      <RowButton text={common.signOut} onClick={leave} />
    </>
  );
}

function Pages({ session, path }: { readonly session: SessionAnswer; readonly path: string }) {
  const { common } = useTexts();
  const pages = pagesOf(session, path);
  if (pages.length === 0) return null;
  return (
    <nav class="container row pages" aria-label={common.mainNavigation}>
      {pages.map(({ key, href }) => (
        <a
          key={key}
          href={href}
          aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
        >
          {common.pages[key]}
        </a>
      ))}
    </nav>
  );
}
