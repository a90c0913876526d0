import { linesSchema } from '../../canonical/schemas';
import { accessOf } from '../reading/access';
import type { DescribedPlace, FieldDescription } from './description';
import type { Step } from '../step';

/** Describes a field of a resource, or a member of its lines. */
export function describeStep(step: Step): FieldDescription {
  const described = (places: readonly DescribedPlace[]) => ({
    field: step.field,
    places,
    paths: places.map(({ path }) => path),
    access: accessOf(step),
  });
  switch (step.kind) {
    case 'value': {
      const { places, constant, readOnly } = step.binding;
      return {
        ...described(places.map(({ path, schema }) => ({ path: path.join('.'), schema }))),
        ...(constant !== undefined && { constant }),
        ...(readOnly && { readOnly }),
      };
    }
    case 'reference':
      return described(step.sources.map(({ name, schema, by }) => ({ path: name, schema, by })));
    case 'lines':
      return {
        ...described([{ path: step.name, schema: linesSchema }]),
        members: step.lines.describe(),
      };
  }
}
