import { useDialogs } from '../parts/dialogs.tsx';
import { Badge, Day, DECISION_TONES } from '../parts/facts.tsx';
import { reasonField } from '../parts/fields.tsx';
import { RowButton, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

/** What operators have decided about a module, for its vendor to answer; nothing if there is nothing. */
export function ModuleReviews({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().reviews;
  const { id, isAdmin } = useOrganization();
  const path = `/${id}/modules/${moduleId}/reviews` as const;
  const list = useList(path);
  const dialogs = useDialogs(list.reload);
  const answer = (reviewId: string) =>
    dialogs.form({
      title: texts.answerTitle,
      text: texts.answerText,
      action: texts.answer,
      fields: { text: reasonField({ label: texts.answerLabel }) },
      submit: (body) => callApi('POST', `${path}/${reviewId}/answer`, body),
    });
  if (list.value === null || list.value.length === 0) return null;
  return (
    <Section title={texts.ofModule}>
      <ul class="plain lines" aria-label={texts.ofModule}>
        {list.value.map((review) => (
          <li key={review.id}>
            <Decision of={review} />
            {isAdmin && review.decision !== null && review.answer === null && (
              <RowButton text={texts.answer} onClick={() => answer(review.id)} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Decision({ of }: { readonly of: Schemas['ModuleReview'] }) {
  const { common, reviews: texts } = useTexts();
  const { reason, revision, decision, decisionReason, decidedAt, answer } = of;
  return (
    <>
      <p>
        {decision !== null && <Badge tone={DECISION_TONES[decision]}>{texts.decided[decision]}</Badge>}{' '}
        {reason === null
          ? decision === null
            ? texts.awaitsReview
            : texts.ofRelease
          : texts.ofFarm(texts.reasons[reason])}{' '}
        ({common.revision} {revision})
      </p>
      <p>
        {decisionReason}{' '}
        {decidedAt !== null && (
          <small>
            <Day value={decidedAt} />
          </small>
        )}
      </p>
      {answer !== null && (
        <p>
          {texts.yourAnswer} {answer}
        </p>
      )}
    </>
  );
}
