import { ExactNumber } from '@app/mapper';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min, ValidateNested } from 'class-validator';
import { DtoPipe } from './dto.pipe';
import { ApiError } from '../errors/api-error';
import { IfPresent, IsJsonObject } from './json-object.validator';

class ChangeDto {
  @IsIn(['platform_a', 'platform_b'])
  platform: string;

  @IsString()
  id: string;

  @IsJsonObject()
  data: object;

  @IfPresent()
  @IsJsonObject()
  context?: object;

  @IsOptional()
  @IsString()
  note?: string | null;
}

const pipe = new DtoPipe();
const asBody = async (value: unknown) => await pipe.transform(value, { type: 'body', metatype: ChangeDto });
const asQuery = async (value: unknown) => await pipe.transform(value, { type: 'query', metatype: ChangeDto });
const valid = (): Record<string, unknown> => ({ platform: 'platform_a', id: '1', data: {} });

async function refusalOf(transformed: Promise<unknown>): Promise<string> {
  try {
    await transformed;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'VALIDATION_ERROR' && error.status === 400)
      return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('DtoPipe', () => {
  it('gives an instance of the DTO with the values themselves', async () => {
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":"x","toString":null}') as object;
    const dto = await asBody({ ...valid(), data });
    expect(dto).toBeInstanceOf(ChangeDto);
    expect((dto as ChangeDto).data).toBe(data);
  });

  it('ignores members the DTO does not declare', async () => {
    const body = JSON.parse(
      '{"platform":"platform_a","id":"1","data":{},"extra":1,"__proto__":{"note":"x"}}',
    ) as unknown;
    const dto = await asBody(body);
    expect(Object.keys(dto as object)).not.toContain('extra');
    expect(Object.getPrototypeOf(dto)).toBe(ChangeDto.prototype);
    expect((dto as ChangeDto).note).toBeUndefined();
  });

  it('reads own members only', async () => {
    expect(await refusalOf(asBody(Object.create(valid())))).toMatch(/platform.*id.*data/);
  });

  it('names every offending field', async () => {
    expect(await refusalOf(asBody({ platform: 'platform_c', id: 7, data: [] }))).toBe(
      'Invalid input: platform must be one of the following values: platform_a, platform_b; ' +
        'id must be a string; data must be a JSON object',
    );
  });

  it.each([{}, undefined, null, 'text', 5, []])('names every missing field of %j', async (body) => {
    const message = await refusalOf(asBody(body));
    for (const field of ['platform', 'id', 'data']) expect(message).toContain(field);
    expect(message).not.toMatch(/context|note/);
  });

  it.each([null, [], 'text', 1, true])('refuses %j where a JSON object may be', async (context) => {
    expect(await refusalOf(asBody({ ...valid(), context }))).toBe(
      'Invalid input: context must be a JSON object',
    );
  });

  it.each(['a\0b', '\uD800', 'x\uDC00y'])('refuses %j in a declared string', async (id) => {
    expect(await refusalOf(asBody({ ...valid(), id }))).toBe(
      'Invalid input: id must not contain a NUL character or half of a surrogate pair',
    );
  });

  it('takes characters beyond the basic plane', async () => {
    await expect(asBody({ ...valid(), id: '🏗️' })).resolves.toMatchObject({ id: '🏗️' });
  });

  it('refuses a query parameter that is repeated', async () => {
    expect(await refusalOf(asQuery({ ...valid(), id: ['1', '2'] }))).toBe(
      'Invalid input: id must be given only once',
    );
  });

  it('refuses a query parameter that the DTO does not declare, and one without a value', async () => {
    const query = { ...valid(), id: '', extra: '1', 'a b': '2' };
    expect(await refusalOf(asQuery(query))).toBe(
      'Invalid input: id must not be empty; extra is no query parameter here; "a b" is no query parameter here',
    );
  });

  it('reports a missing member as required, and names the expected type of a wrong one', async () => {
    expect(await refusalOf(asBody({ platform: 'platform_a', id: null }))).toBe(
      'Invalid input: id must be a string; data is required',
    );
  });

  it('reads the object without prototype that a parsed query is', async () => {
    const query: unknown = Object.assign(Object.create(null), valid());
    await expect(asQuery(query)).resolves.toMatchObject({ platform: 'platform_a' });
  });

  it.each([String, Object, undefined])('leaves values of other types alone (%p)', async (metatype) => {
    const value = { a: 1 };
    expect(await pipe.transform(value, { type: 'body', metatype })).toBe(value);
  });

  it('leaves values of the service’s own decorators unchanged', async () => {
    const value = { anything: true };
    expect(await pipe.transform(value, { type: 'custom', metatype: ChangeDto })).toBe(value);
  });

  it.each([
    '{"constructor":"x"}',
    '{"constructor":{"prototype":{}}}',
    '{"then":1}',
    '{"length":100000000,"__proto__":[]}',
  ])('refuses %s where text must be, whatever its members are called', async (text) => {
    const id = JSON.parse(text) as unknown;
    expect(await refusalOf(asBody({ ...valid(), id }))).toBe('Invalid input: id must be a string');
  });

  it('hands exact numbers on as they are', async () => {
    const data = { amount: new ExactNumber('0.30000000000000000001') };
    const dto = (await asBody({ ...valid(), data })) as ChangeDto;
    expect(dto.data).toBe(data);
    expect(data.amount).toBeInstanceOf(ExactNumber);
  });
});

class LineDto {
  @IsString()
  sku: string;

  @IfPresent()
  @IsJsonObject()
  data?: object;
}

class OrderDto {
  @ValidateNested()
  @Type(() => LineDto)
  lines: LineDto[];

  @IfPresent()
  @ValidateNested()
  @Type(() => LineDto)
  first?: LineDto;
}

class PageQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(500)
  limit = 100;
}

describe('DtoPipe, with DTOs in DTOs', () => {
  const read = async (value: unknown) => await pipe.transform(value, { type: 'body', metatype: OrderDto });

  it('reads lists of them, with free-form members by reference', async () => {
    const data = JSON.parse('{"__proto__":1,"constructor":2}') as object;
    const order = (await read({ lines: [{ sku: 'a', data, other: 1 }, { sku: 'b' }], other: 1 })) as OrderDto;
    expect(order.lines).toEqual([{ sku: 'a', data }, { sku: 'b' }]);
    expect(order.lines[0]).toBeInstanceOf(LineDto);
    expect(order.lines[0]?.data).toBe(data);
    expect(order).not.toHaveProperty('other');
  });

  it('names what is wrong by its path', async () => {
    const lines = [{ sku: 'a' }, { sku: 7 }, { sku: 'a\0', data: [] }];
    expect(await refusalOf(read({ lines, first: {} }))).toBe(
      'Invalid input: lines[2].sku must not contain a NUL character or half of a surrogate pair; ' +
        'lines[1].sku must be a string; lines[2].data must be a JSON object; first.sku is required',
    );
  });

  it('names each element that is no object', async () => {
    expect(await refusalOf(read({ lines: [5, { sku: 'a' }, 'x'], first: 7 }))).toBe(
      'Invalid input: lines[0] must be a JSON object; lines[2] must be a JSON object; first must be a JSON object',
    );
  });

  it.each([[[[]]], [[null]], [['x']], 'x', 5, null])(
    'refuses %j where a list of them must be',
    async (lines) => {
      expect(await refusalOf(read({ lines }))).toMatch(/lines/);
    },
  );
});

describe('DtoPipe, with typed queries', () => {
  const read = async (value: unknown) => await pipe.transform(value, { type: 'query', metatype: PageQuery });

  it('reads numbers, and uses what the DTO says where there is none', async () => {
    await expect(read({ limit: '25' })).resolves.toEqual({ limit: 25 });
    await expect(read({})).resolves.toEqual({ limit: 100 });
  });

  it.each(['0', '501', '1.5', 'x', '', '1e400', 'NaN'])('refuses %j', async (limit) => {
    expect(await refusalOf(read({ limit }))).toMatch(/^Invalid input: limit must /);
  });

  it('refuses a number that is given twice', async () => {
    expect(await refusalOf(read({ limit: ['1', '2'] }))).toBe('Invalid input: limit must be given only once');
  });
});
