import { expect, test } from 'vitest';
import { englishAudit } from '../../../api/portal/pages/texts/english-audit.ts';
import { germanAudit } from '../../../api/portal/pages/texts/german-audit.ts';
import { AUDIT_ACTIONS } from '../../../shared/db/access/models.ts';

/** The values of a sentence, by name; an optional one with a question mark. */
function valuesOf(sentence: string): readonly string[] {
  const parts = sentence.split(/\[([^[\]]*)\]/);
  const values = parts.flatMap((part, index) =>
    Array.from(part.matchAll(/\{(\w+)\}/g), ([, name = '']) => (index % 2 === 1 ? `${name}?` : name)),
  );
  return values.toSorted();
}

test.each(AUDIT_ACTIONS)(
  '%s has a sentence with the same values in both languages, its actor first',
  (action) => {
    const [english, german] = [englishAudit.sentences[action], germanAudit.sentences[action]];
    expect(valuesOf(german)).toEqual(valuesOf(english));
    for (const sentence of [english, german]) {
      expect(sentence).toMatch(/^\{actor\} /);
      expect(sentence.replaceAll(/\{\w+\}/g, '').replaceAll(/\[[^[\]]*\]/g, '')).not.toMatch(/[{}[\]]/);
    }
  },
);
