import { fieldsWithPrecedence, storedEntityTypes } from '@app/mapper';
import { precedenceFields } from './precedence-fields';

describe('the fields that are offered for an order of their own', () => {
  it.each(storedEntityTypes)('are those that the mapper knows of %s', (type) => {
    expect(precedenceFields[type]).toEqual(fieldsWithPrecedence(type));
  });
});
