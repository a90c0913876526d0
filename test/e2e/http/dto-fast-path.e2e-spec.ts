import { ExactNumber } from '@app/mapper';
import { Transform, Type as Typed } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import type { Type } from '@nestjs/common';
import { fc } from '../../../libs/mapper/src/testing/property';
import { ConnectDto } from '../../../src/connections/connect.dto';
import { ObjectsQuery } from '../../../src/objects/objects.dto';
import { PropagateDto } from '../../../src/propagate/propagate.dto';
import { TransformDto } from '../../../src/transform/transform.dto';
import { shapeOf } from '../../../src/common/validation/dto-shape';
import { DtoPipe } from '../../../src/common/validation/dto.pipe';
import { fastPathOf } from '../../../src/common/validation/fast-path';
import { IfPresent, IsJsonObject } from '../../../src/common/validation/json-object.validator';

class LineDto {
  @IsString()
  @MaxLength(3)
  sku: string;

  @IfPresent()
  @IsJsonObject()
  data?: object;
}

class OrderDto {
  @IsIn(['a', 'b'])
  kind = 'a';

  @ValidateNested()
  @Typed(() => LineDto)
  lines: LineDto[];

  @IsOptional()
  @ValidateNested()
  @Typed(() => LineDto)
  first?: LineDto | null;

  @IfPresent()
  @IsInt()
  count?: number;
}

const pipe = new DtoPipe();

/** What the pipe is without its fast path. */
class SlowPipe extends DtoPipe {
  protected override fastPath(): undefined {
    return undefined;
  }
}

const slow = new SlowPipe();
const every: readonly Type<object>[] = [
  ConnectDto,
  ObjectsQuery,
  PropagateDto,
  TransformDto,
  OrderDto,
  LineDto,
];

/** What a reading gives: the value with its classes, or the refusal. */
async function outcome(reading: () => unknown): Promise<unknown> {
  try {
    return described(await reading());
  } catch (error) {
    return String(error);
  }
}

function described(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const type = (Object.getPrototypeOf(value) as object | null)?.constructor.name;
  return [type, Object.entries(value).map(([name, member]) => [name, described(member)])];
}

const word = fc.constantFrom(
  ...[
    'platform_a',
    'platform_b',
    'platform',
    'canonical',
    'payment',
    'invoice',
    'a',
    'b',
    'abcd',
    '',
    '\0',
    '\uD800',
  ],
);
const object = fc.constantFrom<unknown>(
  {},
  { id: 1 },
  JSON.parse('{"__proto__":1}'),
  new ExactNumber('1e400'),
);
const odd = fc.constantFrom<unknown>(null, [], [[]], [null], 0, 7, 1.5, true, ['x']);
const line = fc.record({ sku: fc.oneof(word, odd), data: object, other: odd }, { requiredKeys: [] });
const anything = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 3, arbitrary: object },
  { weight: 1, arbitrary: odd },
  { weight: 2, arbitrary: line },
  { weight: 3, arbitrary: fc.array(fc.oneof(line, odd), { maxLength: 3 }) },
);

describe('the fast path of a DTO', () => {
  it.each(every.map((dto) => [dto.name, dto] as const))(
    'of %s reads what the libraries read, and refuses what they refuse',
    async (_name, dto) => {
      const shape = shapeOf(dto);
      const names = ['other', ...shape.members.map(({ name }) => name)];
      const body = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
      await fc.assert(
        fc.asyncProperty(fc.oneof(body, anything), async (value) => {
          const read = await outcome(() => pipe.transform(value, { type: 'body', metatype: dto }));
          expect(read).toEqual(await outcome(() => slow.transform(value, { type: 'body', metatype: dto })));
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each([
    [ConnectDto, { platform: 'platform_a' }],
    [ObjectsQuery, { platform: 'platform_a', entity_type: 'invoice' }],
    [TransformDto, { source: 'platform_a', target: 'platform_b', entity_type: 'invoice', data: {} }],
    [LineDto, { sku: 'x', data: {} }],
  ] as const)('recognises a usual %p by itself', (dto, value) => {
    expect(fastPathOf(shapeOf(dto))?.(value)).toBeInstanceOf(dto);
  });

  it('leaves to the libraries what only they understand', () => {
    class Converted {
      @Typed(() => Number)
      @IsInt()
      count: number;
    }
    class Transformed {
      @Transform(({ value }) => String(value).trim())
      @IsString()
      text: string;
    }
    class OfEach {
      @IsArray()
      @IsString({ each: true })
      texts: string[];
    }
    class Grouped {
      @IsString({ groups: ['some'] })
      text: string;
    }
    for (const dto of [Converted, Transformed, OfEach, Grouped, OrderDto]) {
      const value = { count: 1, text: 'x', texts: ['x'], lines: [{ sku: 'x' }] };
      expect(fastPathOf(shapeOf(dto))?.(value)).toBeUndefined();
    }
    expect(shapeOf(Converted).members).toHaveLength(1);
  });
});
