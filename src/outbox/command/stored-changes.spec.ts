import { ExactNumber, parseJsonText, type NativeChange } from '@app/mapper';
import { changesIn, changesText } from './stored-changes';

describe('the changes of a command', () => {
  it('come back as they were stored, digits included', () => {
    const changes: readonly NativeChange[] = [
      { path: ['dates', 'end'], value: null },
      { path: ['amount'], value: new ExactNumber('9007199254740993.10') },
    ];
    expect(changesIn(parseJsonText(changesText(changes)))).toEqual(changes);
  });

  it.each(['{}', '[1]', '[{"value":1}]', '[{"path":["a"]}]'])('are never %s', (text) => {
    expect(() => changesIn(parseJsonText(text))).toThrow(/^A stored command holds/);
  });
});
