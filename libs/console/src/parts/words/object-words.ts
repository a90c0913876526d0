import type { components, HistoryEntry, ObjectDetail } from '@app/client';
import { namesOf } from './label';

type Evidence = components['schemas']['LinkEvidenceResponse'];

/** A field's name as words: `check number`. */
export function fieldWords(field: string): string {
  return field.replaceAll('_', ' ');
}

/** What a person types to say that this object is meant: its number, else its name, with single blanks; else its ID. */
export function typedName({ data, canonical_id: id }: Pick<ObjectDetail, 'data' | 'canonical_id'>): string {
  const [first = ''] = namesOf(data);
  const text = first.split(/\s+/).join(' ').trim();
  return text === '' ? id : text;
}

/** What made an entry of a history. */
export function originWords({ type, platform, decided_by: who }: HistoryEntry['origin']): string {
  const by = who === undefined ? '' : `, decided by ${who}`;
  switch (type) {
    case 'run':
      return `${platform ?? 'A platform'} was read`;
    case 'propagation':
      return `Change through this service${by}`;
    case 'outcome':
      return `A platform answered to a change${by}`;
    case 'decision':
      return `Decision about which records are one${who === undefined ? '' : `, by ${who}`}`;
    case 'terms':
      return 'What is agreed with the customer changed';
    case 'removal':
      return 'A connection was removed';
    case 'unknown':
      return 'Before changes were kept';
  }
}

/** Why a record joined the others, by the name of the rule. */
export function ruleWords(rule: Evidence['rule']): string {
  switch (rule) {
    case 'unique_key':
      return 'Their keys are equal, and occur once on each platform';
    case 'key_in_parent':
      return 'Their keys are equal, and occur once on each platform under the same parent';
    case 'decision':
      return 'A person decided that they are one';
    case 'created':
      return 'A change through this service created it there';
    case null:
      return 'What is kept does not show the rule any more';
  }
}

/** Why another record with the key was not taken. */
export function rejectionWords(why: Evidence['candidates'][number]['why']): string {
  switch (why) {
    case 'ruled_out':
      return 'a person said that it is another thing';
    case 'other_parent':
      return 'it has another parent';
    case 'no_parent':
      return 'it has no parent';
    case 'repeats':
      return 'several records have its key and parent, or its place was taken';
  }
}
