import { useState } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Ago, Badge, DECISION_TONES } from '../parts/facts.tsx';
import { Checkbox, choiceField, reasonField } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { RowButton } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { Attention } from './attention.tsx';
import { useQuarantineDialogs } from './quarantined-modules.tsx';

type Review = Schemas['Review'];

interface ReviewsProps {
  /** Called when a module was put into quarantine. */
  readonly onQuarantine: () => Promise<void>;
}

/** What farmers have reported, to decide about it; or what was decided, with the vendors' answers. */
export function Reviews({ onQuarantine }: ReviewsProps) {
  const { common, reviews: texts } = useTexts();
  const [isDecided, setDecided] = useState(false);
  const list = useList(`/operations/reviews?limit=100&decided=${isDecided}`);
  const decide = useDecision(list.reload);
  const empty = isDecided ? texts.noneDecided : texts.none;
  return (
    <Attention
      title={texts.title}
      of={list}
      empty={empty}
      actions={
        <Checkbox checked={isDecided} onChange={setDecided}>
          {texts.decidedOnly}
        </Checkbox>
      }
    >
      <ListTable
        label={texts.reporter}
        of={list}
        empty={empty}
        columns={[
          [common.module, (review) => <Module of={review} />],
          [texts.reporter, (review) => <Report of={review} />],
          ...(isDecided ? ([[texts.decision, (review: Review) => <Decision of={review} />]] as const) : []),
        ]}
        sentence={(review) => (
          <>
            <Module of={review} />
            <Report of={review} />
            {isDecided && <Decision of={review} />}
          </>
        )}
        actions={(review) => (
          <>
            {!isDecided && (
              <RowButton text={texts.decide} about={review.moduleName} onClick={() => decide(review)} />
            )}
            <QuarantineButton of={review} onQuarantine={onQuarantine} />
          </>
        )}
      />
    </Attention>
  );
}

interface ReviewProps {
  readonly of: Review;
}

function QuarantineButton({ of, onQuarantine }: ReviewProps & ReviewsProps) {
  const texts = useTexts().quarantine;
  const { start } = useQuarantineDialogs(onQuarantine);
  const { moduleId: id, moduleName: name, moduleDeleted } = of;
  if (moduleDeleted) return null;
  return <RowButton text={texts.startAction} about={name} onClick={() => start({ id, name })} />;
}

function Module({ of: { moduleName, revision, moduleDeleted, vendor } }: ReviewProps) {
  const { common, market, reviews: texts } = useTexts();
  return (
    <>
      <strong>{moduleName}</strong> {moduleDeleted && <Badge tone="calm">{texts.deleted}</Badge>}
      <div>
        <small>
          {common.revision} {revision}, {market.by(vendor.name)}
          {vendor.verified && ` (${market.verified.badge})`}
        </small>
      </div>
    </>
  );
}

function Report({ of: { reason, text, organizationName, createdAt } }: ReviewProps) {
  const { market, reviews: texts } = useTexts();
  return (
    <>
      {reason !== null && <div>{texts.reasons[reason]}</div>}
      {reason === null && texts.firstRelease}
      <div>{text}</div>
      <small>
        {market.by(organizationName)}, <Ago value={createdAt} />
      </small>
    </>
  );
}

function Decision({ of: { decision, decisionReason, answer } }: ReviewProps) {
  const texts = useTexts().reviews;
  return (
    <>
      {decision !== null && <Badge tone={DECISION_TONES[decision]}>{texts.decided[decision]}</Badge>}{' '}
      <span>{decisionReason}</span>
      {answer !== null && (
        <div>
          {texts.vendorAnswer} {answer}
        </div>
      )}
    </>
  );
}

type Choice = Pick<Parameters<typeof choiceField<NonNullable<Review['decision']>>>[0], 'value' | 'without'>;

const FOR_REPORT: Choice = { value: 'upheld', without: ['approved', 'declined'] };
const FOR_RELEASE: Choice = { value: 'approved', without: ['upheld', 'dismissed'] };

/** Returns what asks for the decision about a review. */
function useDecision(reload: () => Promise<void>) {
  const { common, reviews: texts } = useTexts();
  const dialogs = useDialogs(reload);
  return ({ id, kind, moduleName, text }: Review) =>
    dialogs.form({
      title: texts.decideTitle[kind](moduleName),
      about: text,
      action: texts.decide,
      fields: {
        decision: choiceField({
          ...{ label: texts.decision, options: texts.decisions },
          ...(kind === 'report' ? FOR_REPORT : FOR_RELEASE),
        }),
        reason: reasonField({ label: common.reason, hint: texts.decisionHint[kind] }),
      },
      submit: (body) => callApi('POST', `/operations/reviews/${id}/decide`, body),
    });
}
