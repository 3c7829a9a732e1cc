import { useEffect, useRef } from 'preact/hooks';
import type { PageParameters } from '../navigation.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { Loaded } from '../parts/lists.tsx';
import { PageHead, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { ReportButton } from './report-button.tsx';

/** All that a page on the web may do, but replace the portal in its tab. Each module has an origin of its own. */
const SANDBOX =
  'allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts';

/** Runs the application of an installed module in a frame. */
export function ApplicationPage({ moduleId }: PageParameters) {
  const { application } = useTexts();
  const { id } = useOrganization();
  const installation = useResource(`/${id}/installations/${moduleId}`);
  const { value: module } = useResource(`/${id}/availableModules/${moduleId}`);
  const nameOf = useModuleName();
  const name = module === null ? application.title : nameOf(module.translations);
  const app = installation.value?.app ?? null;
  const page = app?.pageUrl ?? null;
  return (
    <>
      <PageHead title={name} lead={app === null ? undefined : application.lead(app.revision)}>
        <a href={`/portal/${id}/market`}>{application.back}</a>
        <ReportButton module={{ id: moduleId, name }} />
      </PageHead>
      <Loaded of={installation}>
        {() =>
          page === null ? (
            <p class="empty">{application.noPage}</p>
          ) : (
            <ApplicationFrame name={name} page={page} />
          )
        }
      </Loaded>
    </>
  );
}

interface ApplicationFrameProps {
  readonly name: string;
  readonly page: string;
}

/** The frame. It answers its document as `docs/hosts.md` has it, without a token: the portal signs none. */
function ApplicationFrame({ name, page }: ApplicationFrameProps) {
  const { id: organizationId } = useOrganization();
  const language = useLanguage();
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const applicationOrigin = new URL(page).origin;
    const answer = ({ source, origin, data }: MessageEvent<{ readonly type?: unknown } | null>) => {
      const document = frame.current?.contentWindow ?? null;
      if (document === null || source !== document || origin !== applicationOrigin) return;
      if (data?.type !== 'farmer.request') return;
      document.postMessage({ type: 'farmer', organizationId, language, token: null }, applicationOrigin);
    };
    addEventListener('message', answer);
    return () => removeEventListener('message', answer);
  }, [organizationId, language, page]);
  return (
    <iframe
      ref={frame}
      class="application"
      title={name}
      src={page}
      sandbox={SANDBOX}
      allow="fullscreen"
      referrerpolicy="no-referrer"
    />
  );
}

interface ApplicationLinkProps {
  /** Null: not installed. */
  readonly installation: Schemas['Installation'] | null;
  /** Of the module. */
  readonly name: string;
}

/** Opens the application of an installed module, if it has a page of its own. */
export function ApplicationLink({ installation, name }: ApplicationLinkProps) {
  const { application } = useTexts();
  const page = installation?.app?.pageUrl ?? null;
  if (installation === null || page === null) return null;
  const { organizationId, moduleId } = installation;
  return (
    <a href={`/portal/${organizationId}/apps/${moduleId}`} aria-label={`${application.open}: ${name}`}>
      {application.open}
    </a>
  );
}
